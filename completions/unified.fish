# fish completion for unified. Static: a TAB starts no program, evaluates nothing it reads, and uses no network.
# Generated from the catalogue and the options; do not edit.

# What may follow the command words, each with its purpose.
function __unified_words --argument-names at
    switch "$at"
        case ''
            printf '%s\t%s\n' ticketing 'Help desks, issue trackers and CRM cases' user-directory 'People, groups, roles and licences of an application' ats 'Applicant tracking: jobs, candidates, interviews, offers' knowledge-base 'Wikis, help centres and document spaces' ci-cd 'Repositories, pull requests, builds and artifacts' emails 'Mailboxes: messages, drafts, folders' calendar 'Calendars, events and free time' conferencing 'Video meetings, their attendees and transcripts' usage-metering 'Usage of products, by whom and at what cost' voice 'Phone calls and their recordings' profile 'Manage named connections and their tokens' connections 'List the connections that a token can see, and repair them' capabilities 'Show what each connection offers' doctor 'Find problems on this machine and on the network' logs 'Show the service\'s recent calls' operations 'Search the operations' request 'Call any path below the base URL' export 'Write many lists of many connections to files' import 'Send every record of a file once' sql 'Ask many connections one question in SQL' schema 'Show which fields the records of a list really have' diff 'Compare two lists of records' plan 'Print the calls that make one list of records like another' apply 'Send the calls of plans, each call once' runs 'List runs of many writes, and continue them' report 'Write a page on the state of all connections' sandbox 'Manage the local sandbox of the service' mcp 'Offer the operations to coding agents' completion 'Complete commands with TAB' help 'Show help on exit codes, output, profiles and more'
        case 'ticketing'
            printf '%s\t%s\n' accounts 'Companies you serve; each has contacts' attachments 'Files on tickets and comments' collections 'Projects, lists, epics: groups of tickets or contacts' comments 'Messages on a ticket, public or internal' contacts 'Customers and leads outside the company' tags 'Labels for tickets' teams 'Groups of agents' tickets 'Requests, issues, cases: the work itself' ticket_types 'Kinds of tickets, such as bug or incident' fields 'Definitions of built-in and custom fields' ticket_status 'Steps a ticket goes through until it is solved' ticket_priorities 'Levels of urgency of a ticket' users 'Agents, members and admins of the product' workspaces 'Top-level containers of the product' task_lists 'Checklists on a ticket' tasks 'Items of a checklist, or sub-activities' organizations 'Organizations the product knows'
        case 'ticketing accounts'
            printf '%s\t%s\n' list 'List accounts' create 'Create an account' get 'Get an account by its id' update 'Update an account' delete 'Delete an account'
        case 'ticketing attachments'
            printf '%s\t%s\n' list 'List attachments' create 'Create an attachment' get 'Get an attachment by its id' update 'Update an attachment' download 'Download the file of an attachment'
        case 'ticketing collections'
            printf '%s\t%s\n' list 'List collections' create 'Create a collection' get 'Get a collection by its id' update 'Update a collection' delete 'Delete a collection'
        case 'ticketing comments'
            printf '%s\t%s\n' list 'List comments' create 'Create a comment' get 'Get a comment by its id' update 'Update a comment' delete 'Delete a comment'
        case 'ticketing contacts'
            printf '%s\t%s\n' list 'List contacts' create 'Create a contact' get 'Get a contact by its id' update 'Update a contact' delete 'Delete a contact'
        case 'ticketing tags'
            printf '%s\t%s\n' list 'List tags' create 'Create a tag' get 'Get a tag by its id' update 'Update a tag' delete 'Delete a tag'
        case 'ticketing teams'
            printf '%s\t%s\n' list 'List teams' create 'Create a team' get 'Get a team by its id' update 'Update a team' delete 'Delete a team'
        case 'ticketing tickets'
            printf '%s\t%s\n' list 'List tickets' create 'Create a ticket' get 'Get a ticket by its id' update 'Update a ticket' delete 'Delete a ticket' import 'Import a ticket with its history'
        case 'ticketing ticket_types'
            printf '%s\t%s\n' list 'List ticket types'
        case 'ticketing fields'
            printf '%s\t%s\n' list 'List fields' create 'Create a field' get 'Get a field by its id' update 'Update a field' delete 'Delete a field'
        case 'ticketing ticket_status'
            printf '%s\t%s\n' list 'List ticket statuses'
        case 'ticketing ticket_priorities'
            printf '%s\t%s\n' list 'List ticket priorities'
        case 'ticketing users'
            printf '%s\t%s\n' list 'List users' create 'Create a user' get 'Get a user by its id' update 'Update a user' delete 'Delete a user'
        case 'ticketing workspaces'
            printf '%s\t%s\n' list 'List workspaces' create 'Create a workspace' get 'Get a workspace by its id' update 'Update a workspace' delete 'Delete a workspace'
        case 'ticketing task_lists'
            printf '%s\t%s\n' list 'List task lists' create 'Create a task list' get 'Get a task list by its id'
        case 'ticketing tasks'
            printf '%s\t%s\n' list 'List tasks' create 'Create a task' get 'Get a task by its id' update 'Update a task' delete 'Delete a task'
        case 'ticketing organizations'
            printf '%s\t%s\n' list 'List organizations' get 'Get an organization by its id'
        case 'user-directory'
            printf '%s\t%s\n' roles 'Roles that users can have' users 'People with access to the application' organizations 'The top level that users belong to' groups 'Sets of users, often called teams' activities 'What users did in the application' billing 'Bills for the application' utilization 'Usage reports, as tables' licenses 'Seats and subscriptions' workspaces 'Workspaces or projects of the application' me 'The user whose credentials the connection holds' role_assignments 'Who holds which role'
        case 'user-directory roles'
            printf '%s\t%s\n' list 'List roles' create 'Create a role' get 'Get a role by its id' update 'Update a role' delete 'Delete a role'
        case 'user-directory users'
            printf '%s\t%s\n' list 'List users' create 'Create a user' get 'Get a user by its id' update 'Update a user' delete 'Delete a user' downgrade 'Downgrade a user\'s licence or role' deactivate 'Deactivate a user\'s account' assign-role 'Assign a role to a user' unassign-role 'Remove a role from a user' assign_role 'Assign a role to a user (the service\'s other spelling)' unassign_role 'Remove a role from a user (the service\'s other spelling)' suspend 'Suspend a user\'s access temporarily'
        case 'user-directory organizations'
            printf '%s\t%s\n' list 'List organizations' get 'Get an organization by its id' update 'Update an organization' delete 'Delete an organization'
        case 'user-directory groups'
            printf '%s\t%s\n' list 'List groups' create 'Create a group' get 'Get a group by its id' update 'Update a group' delete 'Delete a group' remove-user 'Remove a user from a group' add-user 'Add a user to a group' add 'Add a user to a group (deprecated: use add-user)' remove 'Remove a user from a group (deprecated: use remove-user)'
        case 'user-directory activities'
            printf '%s\t%s\n' list 'List activities' get 'Get an activity by its id'
        case 'user-directory billing'
            printf '%s\t%s\n' list 'List bills'
        case 'user-directory utilization'
            printf '%s\t%s\n' list 'List usage reports'
        case 'user-directory licenses'
            printf '%s\t%s\n' list 'List licenses' get 'Get a licence by its id'
        case 'user-directory workspaces'
            printf '%s\t%s\n' list 'List workspaces' get 'Get a workspace by its id'
        case 'user-directory me'
            printf '%s\t%s\n' list 'Show the user whose credentials the connection holds'
        case 'user-directory role_assignments'
            printf '%s\t%s\n' list 'List role assignments' get 'Get a role assignment by its id' delete 'Delete a role assignment'
        case 'ats'
            printf '%s\t%s\n' activities 'Notes, emails and events about a candidate' applications 'Applications of candidates for jobs' attachments 'Resumes, cover letters and other files' candidates 'People considered for jobs' departments 'Departments that hire' eeocs 'Answers to equal-opportunity questions' interviews 'Interviews on the calendar' job_interview_stages 'Stages of a job\'s interview process' jobs 'Positions, open and closed' job_form_fields 'Questions on a job\'s application form' offers 'Offers made to candidates' offices 'Locations that hire' organizations 'Organizations that hire' reject_reasons 'Reasons to reject an application' scorecards 'Interviewers\' feedback on candidates' tags 'Labels for candidates' users 'Recruiters, hiring managers and interviewers'
        case 'ats activities'
            printf '%s\t%s\n' list 'List activities' create 'Create an activity'
        case 'ats applications'
            printf '%s\t%s\n' list 'List applications' get 'Get an application by its id' move-stage 'Move an application to another stage' reject 'Reject an application'
        case 'ats attachments'
            printf '%s\t%s\n' list 'List attachments' create 'Create an attachment' download 'Download a candidate\'s file'
        case 'ats candidates'
            printf '%s\t%s\n' list 'List candidates' create 'Create a candidate' get 'Get a candidate by its id'
        case 'ats departments'
            printf '%s\t%s\n' list 'List departments' get 'Get a department by its id'
        case 'ats eeocs'
            printf '%s\t%s\n' list 'List EEOC answers' get 'Get an EEOC answer by its id'
        case 'ats interviews'
            printf '%s\t%s\n' list 'List interviews' get 'Get an interview by its id'
        case 'ats job_interview_stages'
            printf '%s\t%s\n' list 'List job interview stages' get 'Get an interview stage by its id'
        case 'ats jobs'
            printf '%s\t%s\n' list 'List jobs' get 'Get a job by its id'
        case 'ats job_form_fields'
            printf '%s\t%s\n' list 'List job form fields'
        case 'ats offers'
            printf '%s\t%s\n' list 'List offers'
        case 'ats offices'
            printf '%s\t%s\n' list 'List offices' get 'Get an office by its id'
        case 'ats organizations'
            printf '%s\t%s\n' list 'List organizations' get 'Get an organization by its id'
        case 'ats reject_reasons'
            printf '%s\t%s\n' list 'List the reasons to reject an application'
        case 'ats scorecards'
            printf '%s\t%s\n' list 'List scorecards'
        case 'ats tags'
            printf '%s\t%s\n' list 'List tags'
        case 'ats users'
            printf '%s\t%s\n' list 'List users' get 'Get a user by its id'
        case 'knowledge-base'
            printf '%s\t%s\n' pages 'Articles and documents' page-content 'The blocks that make up a page' collections 'Folders and sections of a space' comments 'Comments on a page' spaces 'Top-level areas for pages' tags 'Labels within a space' page-exports 'Exports of a page, made in the background' files 'Files that belong to a page' permissions 'Access rights of users and groups' users 'Readers, writers and admins'
        case 'knowledge-base pages'
            printf '%s\t%s\n' list 'List pages' create 'Create a page' get 'Get a page by its id' update 'Update a page'
        case 'knowledge-base page-content'
            printf '%s\t%s\n' list 'List the blocks of a page\'s content' get 'Get a block of a page\'s content by its id' append 'Add content at the end of a page' export 'Export a page\'s content as a whole'
        case 'knowledge-base collections'
            printf '%s\t%s\n' list 'List collections' get 'Get a collection by its id'
        case 'knowledge-base comments'
            printf '%s\t%s\n' list 'List comments' get 'Get a comment by its id'
        case 'knowledge-base spaces'
            printf '%s\t%s\n' list 'List spaces' get 'Get a space by its id'
        case 'knowledge-base tags'
            printf '%s\t%s\n' list 'List tags'
        case 'knowledge-base page-exports'
            printf '%s\t%s\n' create 'Create a page export' get 'Get a page export by its id' download 'Download a finished export'
        case 'knowledge-base files'
            printf '%s\t%s\n' list 'List files' download 'Download a page\'s file'
        case 'knowledge-base permissions'
            printf '%s\t%s\n' list 'List permissions'
        case 'knowledge-base users'
            printf '%s\t%s\n' list 'List users' get 'Get a user by its id'
        case 'ci-cd'
            printf '%s\t%s\n' repos 'Source code repositories' branches 'Branches of a repository' pull-requests 'Changes proposed for a repository' builds 'Runs of a pipeline' jobs 'Parts of a build' artifacts 'Files produced by a build' caches 'Caches kept between builds' workflow 'Definitions of pipelines' workspaces 'Workspaces of the product' organizations 'Organizations that own repositories' branch-protection-rules 'Rules that protect a branch'
        case 'ci-cd repos'
            printf '%s\t%s\n' list 'List repos' get 'Get a repository by its id'
        case 'ci-cd branches'
            printf '%s\t%s\n' list 'List branches' get 'Get a branch by its id'
        case 'ci-cd pull-requests'
            printf '%s\t%s\n' list 'List pull requests' get 'Get a pull request by its id'
        case 'ci-cd builds'
            printf '%s\t%s\n' list 'List builds' get 'Get a build by its id'
        case 'ci-cd jobs'
            printf '%s\t%s\n' list 'List jobs' get 'Get a job by its id'
        case 'ci-cd artifacts'
            printf '%s\t%s\n' list 'List artifacts' get 'Get an artifact by its id'
        case 'ci-cd caches'
            printf '%s\t%s\n' list 'List caches'
        case 'ci-cd workflow'
            printf '%s\t%s\n' list 'List workflows' get 'Get a workflow by its id'
        case 'ci-cd workspaces'
            printf '%s\t%s\n' list 'List workspaces' get 'Get a workspace by its id'
        case 'ci-cd organizations'
            printf '%s\t%s\n' list 'List organizations'
        case 'ci-cd branch-protection-rules'
            printf '%s\t%s\n' list 'List branch protection rules'
        case 'emails'
            printf '%s\t%s\n' emails 'Messages and drafts' folders 'Folders and labels of a mailbox' users 'People with a mailbox' attachments 'Files sent with a message'
        case 'emails emails'
            printf '%s\t%s\n' list 'List emails' create 'Create an email' get 'Get an email by its id' update 'Update an email' delete 'Delete an email' send 'Send a new message' send-draft 'Send a draft that exists already' reply 'Reply to the sender of a message' reply-all 'Reply to everyone on a message' forward 'Forward a message to other people' move 'Move a message to another folder'
        case 'emails folders'
            printf '%s\t%s\n' list 'List folders' create 'Create a folder' get 'Get a folder by its id' update 'Update a folder' delete 'Delete a folder'
        case 'emails users'
            printf '%s\t%s\n' list 'List users' get 'Get a user by its id'
        case 'emails attachments'
            printf '%s\t%s\n' list 'List attachments' get 'Get an attachment by its id' download 'Download a message\'s file'
        case 'calendar'
            printf '%s\t%s\n' attachments 'Files on an event' calendars 'Calendars the connection can see' events 'Meetings and other entries' availability 'The times when a person is free or busy' event_types 'Kinds of meetings that can be booked' contacts 'People in the address book' users 'People with a calendar'
        case 'calendar attachments'
            printf '%s\t%s\n' list 'List attachments'
        case 'calendar calendars'
            printf '%s\t%s\n' list 'List calendars' get 'Get a calendar by its id'
        case 'calendar events'
            printf '%s\t%s\n' list 'List events' create 'Create an event' get 'Get an event by its id' update 'Update an event' delete 'Delete an event'
        case 'calendar availability'
            printf '%s\t%s\n' list 'List free and busy times'
        case 'calendar event_types'
            printf '%s\t%s\n' list 'List event types' get 'Get an event type by its id'
        case 'calendar contacts'
            printf '%s\t%s\n' list 'List contacts'
        case 'calendar users'
            printf '%s\t%s\n' list 'List users'
        case 'conferencing'
            printf '%s\t%s\n' transcripts 'Written records of a meeting' attendees 'Participants of a meeting' transcript_entries 'Single statements in a transcript' meetings 'Video meetings, planned and past'
        case 'conferencing transcripts'
            printf '%s\t%s\n' list 'List transcripts' get 'Get a transcript by its id'
        case 'conferencing attendees'
            printf '%s\t%s\n' list 'List attendees' get 'Get an attendee by its id'
        case 'conferencing transcript_entries'
            printf '%s\t%s\n' list 'List transcript entries' get 'Get a transcript entry by its id'
        case 'conferencing meetings'
            printf '%s\t%s\n' list 'List meetings' get 'Get a meeting by its id'
        case 'usage-metering'
            printf '%s\t%s\n' products 'Products with metered usage' usage 'Quantities used, and their cost' organizations 'Organizations that are billed' workspaces 'Workspaces of an organization' users 'People who use the products'
        case 'usage-metering products'
            printf '%s\t%s\n' list 'List products'
        case 'usage-metering usage'
            printf '%s\t%s\n' list 'List measured usage and its cost'
        case 'usage-metering organizations'
            printf '%s\t%s\n' list 'List organizations' get 'Get an organization by its id'
        case 'usage-metering workspaces'
            printf '%s\t%s\n' list 'List workspaces' get 'Get a workspace by its id'
        case 'usage-metering users'
            printf '%s\t%s\n' list 'List users'
        case 'voice'
            printf '%s\t%s\n' calls 'Calls made and received' recordings 'Recordings of calls'
        case 'voice calls'
            printf '%s\t%s\n' list 'List calls'
        case 'voice recordings'
            printf '%s\t%s\n' list 'List recordings' download 'Download the audio of a call'
        case 'profile'
            printf '%s\t%s\n' list 'List the profiles' show 'Show the settings of a profile, and the source of each setting' path 'Print the path of the config file' add 'Add a profile' set 'Change profiles, or the values for all profiles' use 'Choose the profile that is used without -p' login 'Store a profile\'s token safely' logout 'Remove a profile\'s token' import 'Add many profiles at once, from a CSV file' test 'Test each connection with one request' rename 'Change the name of a profile' remove 'Remove a profile'
        case 'connections'
            printf '%s\t%s\n' list 'List the connections that the token can see' add 'Add a profile for each connection' refresh 'Ask the service to renew the credentials of connections' link 'Make the token with which a customer signs in again'
        case 'operations'
            printf '%s\t%s\n' add 'Add commands for operations that a connection offers beyond the catalogue' remove 'Remove commands that were added'
        case 'runs'
            printf '%s\t%s\n' list 'List the runs, the newest first' show 'Show the outcome of each call of a run' resume 'Send the calls that a run has not tried, and repeat calls in doubt if safe' retry 'Repeat the failed calls of a run, each with its idempotency key' remove 'Remove the journals of runs'
        case 'sandbox'
            printf '%s\t%s\n' serve 'Serve the sandbox on a local port, for any client' reset 'Reset all records to their initial state' seed 'Start over with other records; the same word generates the same records' status 'Show where the records are stored, and the connections'
        case 'mcp'
            printf '%s\t%s\n' serve 'Serve the operations to an agent as tools, over standard input and output' config 'Print the configuration that makes an agent start the server'
        case 'completion'
            printf '%s\t%s\n' bash 'Print the script for bash' zsh 'Print the script for zsh' fish 'Print the script for fish' install 'Install the script where the shell looks for it'
    end
    set -l folder (__unified_folder)
    if test -d $folder/catalogue.d
        __unified_added $folder "$at"
    end
end

# The options of the command words.
function __unified_flags --argument-names at
    printf '%s\t%s\n' --help 'show the page of help' -h 'show the page of help'
    switch "$at"
        case ''
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --output 'the output format' -o 'the output format' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'profile list'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --output 'the output format' -o 'the output format' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'profile show'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --explain 'also show the values that were overridden' --output 'the output format' -o 'the output format' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'profile path'
            printf '%s\t%s\n' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'profile add'
            printf '%s\t%s\n' --account-id 'the connection: one customer\'s account in a product; me: the connection of the token' -a 'the connection: one customer\'s account in a product; me: the connection of the token' --base-url 'the service\'s base URL, like https://api.example.com' --token-file 'a file whose only line is the token' --ca-bundle 'a file of additional certificate authorities to trust' --timeout 'seconds for one request with all its retries' --retries 'retries after the first attempt' --rate 'requests per 10 seconds and connection, 0 for no limit' --token-command 'the program that prints the token' --keyring 'the token is in this machine\'s keyring' --tag 'add a tag, for -p tag:NAME' --read-only 'refuse every write' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'profile set'
            printf '%s\t%s\n' --default 'the values for all profiles that do not set the keys' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'profile use'
            printf '%s\t%s\n' --none 'use no default profile' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'profile login'
            printf '%s\t%s\n' --store 'where to store the token' --shared 'the token of all profiles without a token of their own' --token-stdin 'read the token from standard input' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'profile logout'
            printf '%s\t%s\n' --shared 'the token of all profiles without a token of their own' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'profile import'
            printf '%s\t%s\n' --update 'change profiles that exist instead of refusing them' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'profile test'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --with 'read this list instead of asking for the connection\'s state' --output 'the output format' -o 'the output format' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'profile rename'
            printf '%s\t%s\n' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'profile remove'
            printf '%s\t%s\n' --yes 'do not ask before removing' -y 'do not ask before removing' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'connections list'
            printf '%s\t%s\n' --where 'only those for which this jq program is true: .product == "x"' --health 'also check each connection, show its problem, and count the failing ones' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --page-size 'records per page' --output 'the output format' -o 'the output format' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'connections add'
            printf '%s\t%s\n' --where 'only those for which this jq program is true: .product == "x"' --prefix 'begin each profile\'s name with this' --tag 'give each profile this tag' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --page-size 'records per page' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --dry-run 'show the profiles and add none' --yes 'add without asking; required off a terminal' -y 'add without asking; required off a terminal' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'connections refresh'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --yes 'delete, or write to several connections, without asking; required off a terminal' -y 'delete, or write to several connections, without asking; required off a terminal' --fail-fast 'stop at the first connection or piped line that fails' --max-failures 'stop if more than N (or P %) of the connections or lines failed' --stages 'begin with N connections, such as 1,5,20%; continue if all succeed' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'connections link'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --out 'write the token to this new file, readable by you only' --force 'make a token even if the connection works' --dry-run 'print the request as JSON and send nothing' --yes 'do not ask; required off a terminal' -y 'do not ask; required off a terminal' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'capabilities'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --probe 'also read one record of each list that is not refused' --product 'show what a product offers, even without a connection' --output 'the output format' -o 'the output format' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'doctor'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --with 'read this list instead of asking for the connection\'s state' --output 'the output format' -o 'the output format' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --bundle 'also write a ZIP file for a report, without secrets' --har 'with --bundle: add this recording' --network 'also call the service; otherwise nothing is sent' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'logs'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --limit 'read at most N records of each connection' --since 'only calls since a time (UTC) or an age, such as 12h (1h)' --failed 'only failed calls; all calls are read to find them' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'operations'
            printf '%s\t%s\n' --output 'the output format' -o 'the output format' --source 'show the file that defines each operation' --openapi 'print the catalogue as an OpenAPI 3.1 document'
        case 'operations add'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --yes 'add without asking; required off a terminal' -y 'add without asking; required off a terminal' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'operations remove'
            printf '%s\t%s\n' --yes 'remove without asking' -y 'remove without asking' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'request'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --strict 'send nothing if a query parameter is unknown for the list' --data 'the request body; - reads standard input' -d 'the request body; - reads standard input' --raw-field 'set a field to a string; a[b]=1 nests' -f 'set a field to a string; a[b]=1 nests' --field 'set a field to a JSON value or a string; @base64:FILE sends bytes' -F 'set a field to a JSON value or a string; @base64:FILE sends bytes' --upload 'send a file in a form; -f sets other fields; NAME is file by default' --content-type 'send the file of -d @FILE unchanged, with this content type' --all 'read all pages, not one' --limit 'read at most N records of each connection' --page-size 'records per page' --cursor 'start at this cursor' --allow-partial 'exit with 0 even if the provider left something out' --restart 'with --out: start over instead of resuming' --dedupe 'with --out: leave out repeated records' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --typed-header 'write cells of CSV and TSV as JSON, for an import without any loss' --out 'write the result to a file, or downloads to a folder' --force 'overwrite the file; print binary on a terminal' --expect 'exit with 14 unless this jq program is true for the complete result' --junit 'also write the result as JUnit XML; replaces the file' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --yes 'delete, or write to several connections, without asking; required off a terminal' -y 'delete, or write to several connections, without asking; required off a terminal' --idempotency-key 'reuse the key of an earlier attempt at this write' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'export'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --strict 'export nothing if a query parameter is unknown for a list' --to 'the folder or URL to write to; run again to resume' --shard 'write only part K of N of the files' --verify 'check a folder or URL against its manifest' --tasks 'print a task for each connection, as NDJSON, and export nothing' --task 'run one of these tasks, from standard input with -' --engine 'run the export on the workers of a Dask cluster' --dry-run 'print the lists and their files; send and write nothing' --wait-timeout 'with --engine: seconds to wait for the first worker (600)' --incremental 'add changes since the last run (a new file per list; Delta merges them)' --lag 'with --incremental: also read this many seconds before the last run (60)' --restart 'start over: read everything and replace the files' --dedupe 'leave out repeated records' --format 'the format of the files' --output 'the format of the files' -o 'the format of the files' --columns 'add these fields as text columns to Parquet, Delta, CSV and TSV, such as status.name' --since 'only records changed since a time (ISO 8601, UTC) or an age (7d, 12h)' --page-size 'records per page' --allow-partial 'exit with 0 even if the provider left something out' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --typed-header 'write cells of CSV and TSV as JSON, for an import without any loss' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'import'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --operation 'the operation for each record (create)' --map 'a jq program that reshapes each record' --report 'write the outcome of each line to a file' --fail-fast 'stop at the first record that fails' --restart 'discard the journal and send everything again' --retry-in-doubt 'repeat records in doubt' --retry-failed 'repeat records that were refused' --strict 'send nothing if a column or field is misspelt' --format 'the format of the input, if it is not detected' --delimiter 'the character between the cells of CSV, such as ; or tab' --trim-header 'remove blanks around the names of columns' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --output 'the output format' -o 'the output format' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --dry-run 'print the request as JSON and send nothing' --yes 'delete, or write to several connections, without asking; required off a terminal' -y 'delete, or write to several connections, without asking; required off a terminal' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'sql'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter of one list' -q 'a query parameter of one list' --from 'read an export instead of connections' --since 'only records changed since a time (ISO 8601, UTC) or an age (7d, 12h)' --page-size 'records per page' --keep 'also write the tables to a database file, with all columns' --output 'the output format' -o 'the output format' --out 'write the result to a file' --force 'overwrite the files of --out and --keep' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --explain 'print the reads and the minimum number of calls, and read nothing' --timeout 'seconds for a request with its retries, and for the statement (120); reads wait longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'schema'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --records 'look at N records of each connection (1000)' --page-size 'records per page' --output 'the output format' -o 'the output format' --against 'compare with a JSON Schema, a connection, or the known fields' --strict 'with --against: end with exit code 14 for any difference' --junit 'also write the result as JUnit XML; replaces the file' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'diff'
            printf '%s\t%s\n' --from 'a profile, a folder of an export, or an NDJSON file' --to 'the side to compare with' --key 'join records by this value (id); .a.b is a jq program' --map 'a jq program that reshapes each record of the first side' --ignore 'do not compare these values' --set 'an array whose order does not matter' --all-fields 'also compare created_at updated_at etag remote_data; a plan then sends all fields' --ids 'the file with the old and new ids of records, as apply wrote it' --output 'the output format' -o 'the output format' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'plan'
            printf '%s\t%s\n' --from 'a profile, a folder of an export, or an NDJSON file' --to 'the profile of the connection to change' --key 'join records by this value (id); .a.b is a jq program' --map 'a jq program that reshapes each record of the first side' --ignore 'do not compare these values' --set 'an array whose order does not matter' --all-fields 'also compare created_at updated_at etag remote_data; a plan then sends all fields' --ids 'the file with the old and new ids of records, as apply wrote it' --delete 'also delete records that only the target has' --same-ids 'join by id, even if the sides may be different connections' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'apply'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --only 'only calls of this kind' --ids 'the file with the old and new ids of records, as apply wrote it' --output 'the output format' -o 'the output format' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --overwrite-changed 'also change records that have changed since the plan was made' --retry-in-doubt 'also repeat calls in doubt, which may then be done twice' --max-deletes 'delete at most N records (half of the records of each list)' --dry-run 'show the plans like a diff and send nothing' --yes 'delete, or write to several connections, without asking; required off a terminal' -y 'delete, or write to several connections, without asking; required off a terminal' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'runs list'
            printf '%s\t%s\n' --output 'the output format' -o 'the output format' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'runs show'
            printf '%s\t%s\n' --output 'the output format' -o 'the output format' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'runs resume'
            printf '%s\t%s\n' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --retry-in-doubt 'also repeat calls in doubt, which may then be done twice' --yes 'delete, or write to several connections, without asking; required off a terminal' -y 'delete, or write to several connections, without asking; required off a terminal' --fail-fast 'stop at the first connection or piped line that fails' --max-failures 'stop if more than N (or P %) of the connections or lines failed' --stages 'begin with N connections, such as 1,5,20%; continue if all succeed' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'runs retry'
            printf '%s\t%s\n' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --fail-fast 'stop at the first connection or piped line that fails' --max-failures 'stop if more than N (or P %) of the connections or lines failed' --stages 'begin with N connections, such as 1,5,20%; continue if all succeed' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'runs remove'
            printf '%s\t%s\n' --yes 'delete, or write to several connections, without asking; required off a terminal' -y 'delete, or write to several connections, without asking; required off a terminal' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'report'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --to 'the file to write; an older page in it is overwritten' --output 'the output format' -o 'the output format' --export 'also show the export in this folder, and verify its files' --schema 'also show the differences in this file, which schema --against -o json wrote' --junit 'also show the test results in this file, which --junit wrote' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'sandbox serve'
            printf '%s\t%s\n' --token-file 'read the token from a file' --port 'the local port; 0 picks a free one' --host 'listen on this address; addresses outside the loopback interface are unsafe' --allow-host 'also answer requests to this exact host name; unsafe' --ready-file 'write the server\'s address to this file as soon as it listens' --seed 'the seed of the generated records: a word or a number' --state 'where changes are stored' --faults 'simulate faults: 429=5%,slow=200ms … (unified help sandbox)' --records 'the number of records of a resource' --keep-ids 'use the id in the body of a create for the new record' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies'
        case 'sandbox status'
            printf '%s\t%s\n' --output 'the output format' -o 'the output format'
        case 'mcp serve'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --allow-writes 'offer a tool that writes to one connection per call; needs -p' --allow-deletes 'also let this tool delete records' --requests-per-minute 'requests to the service per minute; 0 means no limit (300)' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case 'mcp config'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --client 'the client to configure (claude-code)' --allow-writes 'offer a tool that writes to one connection per call; needs -p' --allow-deletes 'also let this tool delete records' --requests-per-minute 'requests to the service per minute; 0 means no limit (300)'
        case 'completion install'
            printf '%s\t%s\n' --shell 'for this shell, not that of $SHELL'
        case 'help'
            printf '%s\t%s\n' --skill 'with agents: print a skill file for coding agents'
        case 'knowledge-base page-exports get'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --format 'the format of the input, if it is not detected' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --describe 'print the connection\'s own description of this operation and do nothing else' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --ordered 'print several connections one after the other' --out 'write the result to a file, or downloads to a folder' --force 'overwrite the file; print binary on a terminal' --expect 'exit with 14 unless this jq program is true for the complete result' --junit 'also write the result as JUnit XML; replaces the file' --until 'repeat the read until this jq program is true' --fail-if 'with --until: give up once this jq program is true' --every 'seconds between two reads (5; with --follow 30)' --wait-timeout 'maximum seconds to wait (600)' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --strict 'send nothing if a parameter is missing or unknown, or a field is misspelt' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case '* * list'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --describe 'print the connection\'s own description of this operation and do nothing else' --all 'read all pages, not one' --limit 'read at most N records of each connection' --page-size 'records per page' --since 'only records changed since a time (ISO 8601, UTC) or an age (7d, 12h)' --cursor 'start at this cursor' --allow-partial 'exit with 0 even if the provider left something out' --restart 'with --out: start over instead of resuming' --dedupe 'with --out: leave out repeated records' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --typed-header 'write cells of CSV and TSV as JSON, for an import without any loss' --ordered 'print several connections one after the other' --out 'write the result to a file, or downloads to a folder' --force 'overwrite the file; print binary on a terminal' --expect 'exit with 14 unless this jq program is true for the complete result' --junit 'also write the result as JUnit XML; replaces the file' --until 'repeat the read until this jq program is true' --fail-if 'with --until: give up once this jq program is true' --every 'seconds between two reads (5; with --follow 30)' --wait-timeout 'maximum seconds to wait (600)' --follow 'print each change of a record as it is seen, until Ctrl-C' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --strict 'send nothing if a parameter is missing or unknown, or a field is misspelt' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case '* * create'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --describe 'print the connection\'s own description of this operation and do nothing else' --data 'the request body; - reads standard input' -d 'the request body; - reads standard input' --raw-field 'set a field to a string; a[b]=1 nests' -f 'set a field to a string; a[b]=1 nests' --field 'set a field to a JSON value or a string; @base64:FILE sends bytes' -F 'set a field to a JSON value or a string; @base64:FILE sends bytes' --upload 'send a file in a form; -f sets other fields; NAME is file by default' --content-type 'send the file of -d @FILE unchanged, with this content type' --skeleton 'print a body to fill in and send nothing' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --out 'write the result to a file, or downloads to a folder' --force 'overwrite the file; print binary on a terminal' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --yes 'delete, or write to several connections, without asking; required off a terminal' -y 'delete, or write to several connections, without asking; required off a terminal' --fail-fast 'stop at the first connection or piped line that fails' --max-failures 'stop if more than N (or P %) of the connections or lines failed' --stages 'begin with N connections, such as 1,5,20%; continue if all succeed' --strict 'send nothing if a parameter is missing or unknown, or a field is misspelt' --idempotency-key 'reuse the key of an earlier attempt at this write' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case '* * get'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --format 'the format of the input, if it is not detected' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --describe 'print the connection\'s own description of this operation and do nothing else' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --ordered 'print several connections one after the other' --out 'write the result to a file, or downloads to a folder' --force 'overwrite the file; print binary on a terminal' --expect 'exit with 14 unless this jq program is true for the complete result' --junit 'also write the result as JUnit XML; replaces the file' --until 'repeat the read until this jq program is true' --fail-if 'with --until: give up once this jq program is true' --every 'seconds between two reads (5; with --follow 30)' --wait-timeout 'maximum seconds to wait (600)' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case '* * update'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --format 'the format of the input, if it is not detected' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --describe 'print the connection\'s own description of this operation and do nothing else' --data 'the request body; - reads standard input' -d 'the request body; - reads standard input' --raw-field 'set a field to a string; a[b]=1 nests' -f 'set a field to a string; a[b]=1 nests' --field 'set a field to a JSON value or a string; @base64:FILE sends bytes' -F 'set a field to a JSON value or a string; @base64:FILE sends bytes' --upload 'send a file in a form; -f sets other fields; NAME is file by default' --content-type 'send the file of -d @FILE unchanged, with this content type' --skeleton 'print a body to fill in and send nothing' --edit 'edit the record in $VISUAL or $EDITOR and send the changes' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --out 'write the result to a file, or downloads to a folder' --force 'overwrite the file; print binary on a terminal' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --yes 'delete, or write to several connections, without asking; required off a terminal' -y 'delete, or write to several connections, without asking; required off a terminal' --fail-fast 'stop at the first connection or piped line that fails' --max-failures 'stop if more than N (or P %) of the connections or lines failed' --stages 'begin with N connections, such as 1,5,20%; continue if all succeed' --strict 'send nothing if a parameter is missing or unknown, or a field is misspelt' --idempotency-key 'reuse the key of an earlier attempt at this write' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case '* * delete'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --format 'the format of the input, if it is not detected' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --describe 'print the connection\'s own description of this operation and do nothing else' --data 'the request body; - reads standard input' -d 'the request body; - reads standard input' --raw-field 'set a field to a string; a[b]=1 nests' -f 'set a field to a string; a[b]=1 nests' --field 'set a field to a JSON value or a string; @base64:FILE sends bytes' -F 'set a field to a JSON value or a string; @base64:FILE sends bytes' --skeleton 'print a body to fill in and send nothing' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --out 'write the result to a file, or downloads to a folder' --force 'overwrite the file; print binary on a terminal' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --yes 'delete, or write to several connections, without asking; required off a terminal' -y 'delete, or write to several connections, without asking; required off a terminal' --fail-fast 'stop at the first connection or piped line that fails' --max-failures 'stop if more than N (or P %) of the connections or lines failed' --stages 'begin with N connections, such as 1,5,20%; continue if all succeed' --strict 'send nothing if a parameter is missing or unknown, or a field is misspelt' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case '* * download'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --format 'the format of the input, if it is not detected' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --describe 'print the connection\'s own description of this operation and do nothing else' --data 'the request body; - reads standard input' -d 'the request body; - reads standard input' --raw-field 'set a field to a string; a[b]=1 nests' -f 'set a field to a string; a[b]=1 nests' --field 'set a field to a JSON value or a string; @base64:FILE sends bytes' -F 'set a field to a JSON value or a string; @base64:FILE sends bytes' --skeleton 'print a body to fill in and send nothing' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --out 'write the result to a file, or downloads to a folder' --from 'with --out DIR: download the file of each id or record in FILE' --force 'overwrite the file; print binary on a terminal' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --fail-fast 'stop at the first connection or piped line that fails' --max-failures 'stop if more than N (or P %) of the connections or lines failed' --stages 'begin with N connections, such as 1,5,20%; continue if all succeed' --strict 'send nothing if a parameter is missing or unknown, or a field is misspelt' --idempotency-key 'reuse the key of an earlier attempt at this write' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case '* * export'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --describe 'print the connection\'s own description of this operation and do nothing else' --data 'the request body; - reads standard input' -d 'the request body; - reads standard input' --raw-field 'set a field to a string; a[b]=1 nests' -f 'set a field to a string; a[b]=1 nests' --field 'set a field to a JSON value or a string; @base64:FILE sends bytes' -F 'set a field to a JSON value or a string; @base64:FILE sends bytes' --skeleton 'print a body to fill in and send nothing' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --out 'write the result to a file, or downloads to a folder' --force 'overwrite the file; print binary on a terminal' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --fail-fast 'stop at the first connection or piped line that fails' --max-failures 'stop if more than N (or P %) of the connections or lines failed' --stages 'begin with N connections, such as 1,5,20%; continue if all succeed' --strict 'send nothing if a parameter is missing or unknown, or a field is misspelt' --idempotency-key 'reuse the key of an earlier attempt at this write' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case '* * search'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --describe 'print the connection\'s own description of this operation and do nothing else' --data 'the request body; - reads standard input' -d 'the request body; - reads standard input' --raw-field 'set a field to a string; a[b]=1 nests' -f 'set a field to a string; a[b]=1 nests' --field 'set a field to a JSON value or a string; @base64:FILE sends bytes' -F 'set a field to a JSON value or a string; @base64:FILE sends bytes' --all 'read all pages, not one' --limit 'read at most N records of each connection' --page-size 'records per page' --since 'only records changed since a time (ISO 8601, UTC) or an age (7d, 12h)' --cursor 'start at this cursor' --allow-partial 'exit with 0 even if the provider left something out' --restart 'with --out: start over instead of resuming' --dedupe 'with --out: leave out repeated records' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --typed-header 'write cells of CSV and TSV as JSON, for an import without any loss' --ordered 'print several connections one after the other' --out 'write the result to a file, or downloads to a folder' --force 'overwrite the file; print binary on a terminal' --expect 'exit with 14 unless this jq program is true for the complete result' --junit 'also write the result as JUnit XML; replaces the file' --until 'repeat the read until this jq program is true' --fail-if 'with --until: give up once this jq program is true' --every 'seconds between two reads (5; with --follow 30)' --follow 'print each change of a record as it is seen, until Ctrl-C' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --strict 'send nothing if a parameter is missing or unknown, or a field is misspelt' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
        case '* * *'
            printf '%s\t%s\n' --profile 'profile to use; also a glob, tag:NAME or \'!NAME\'' -p 'profile to use; also a glob, tag:NAME or \'!NAME\'' --account-id 'the connection\'s id, or me for the token\'s own' -a 'the connection\'s id, or me for the token\'s own' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --describe 'print the connection\'s own description of this operation and do nothing else' --data 'the request body; - reads standard input' -d 'the request body; - reads standard input' --raw-field 'set a field to a string; a[b]=1 nests' -f 'set a field to a string; a[b]=1 nests' --field 'set a field to a JSON value or a string; @base64:FILE sends bytes' -F 'set a field to a JSON value or a string; @base64:FILE sends bytes' --skeleton 'print a body to fill in and send nothing' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --out 'write the result to a file, or downloads to a folder' --force 'overwrite the file; print binary on a terminal' --record 'write every exchange to a HAR file, without credentials' --replay 'answer from a HAR file; nothing is sent' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --yes 'delete, or write to several connections, without asking; required off a terminal' -y 'delete, or write to several connections, without asking; required off a terminal' --fail-fast 'stop at the first connection or piped line that fails' --max-failures 'stop if more than N (or P %) of the connections or lines failed' --stages 'begin with N connections, such as 1,5,20%; continue if all succeed' --strict 'send nothing if a parameter is missing or unknown, or a field is misspelt' --idempotency-key 'reuse the key of an earlier attempt at this write' --timeout 'seconds for a request with its retries (120); bulk work waits longer for a rate limit' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection; 0 means no limit (45)' --token-rate 'requests per 10 s and token; 0 means no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8; 32 for more than 16 connections)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print errors as JSON (the default off a terminal with -o json, ndjson)' --no-pager 'do not use a pager for long output'
    end
end

# What the value of an option is, after the command words.
function __unified_value --argument-names option at
    switch "$at $option"
        case 'profile list -o'
            echo 'table markdown json tsv'
        case 'profile list --output'
            echo 'table markdown json tsv'
        case 'profile show -o'
            echo 'table markdown json tsv'
        case 'profile show --output'
            echo 'table markdown json tsv'
        case 'profile test -o'
            echo 'table markdown json tsv junit'
        case 'profile test --output'
            echo 'table markdown json tsv junit'
        case 'connections list -o'
            echo 'table markdown json tsv'
        case 'connections list --output'
            echo 'table markdown json tsv'
        case 'capabilities -o'
            echo 'table markdown tsv json ndjson csv junit'
        case 'capabilities --output'
            echo 'table markdown tsv json ndjson csv junit'
        case 'doctor -o'
            echo 'table markdown json tsv'
        case 'doctor --output'
            echo 'table markdown json tsv'
        case 'operations -o'
            echo 'table markdown json tsv'
        case 'operations --output'
            echo 'table markdown json tsv'
        case 'export -o'
            echo 'ndjson csv tsv json parquet delta'
        case 'export --output'
            echo 'ndjson csv tsv json parquet delta'
        case 'export --format'
            echo 'ndjson csv tsv json parquet delta'
        case 'import -o'
            echo 'table markdown json tsv'
        case 'import --output'
            echo 'table markdown json tsv'
        case 'sql -o'
            echo 'json ndjson table markdown csv tsv yaml ids'
        case 'sql --output'
            echo 'json ndjson table markdown csv tsv yaml ids'
        case 'schema -o'
            echo 'table markdown json tsv'
        case 'schema --output'
            echo 'table markdown json tsv'
        case 'diff -o'
            echo 'table markdown ndjson json'
        case 'diff --output'
            echo 'table markdown ndjson json'
        case 'apply -o'
            echo 'table markdown json tsv'
        case 'apply --output'
            echo 'table markdown json tsv'
        case 'runs list -o'
            echo 'table markdown json tsv'
        case 'runs list --output'
            echo 'table markdown json tsv'
        case 'report -o'
            echo 'json'
        case 'report --output'
            echo 'json'
        case 'sandbox status -o'
            echo 'table markdown json tsv'
        case 'sandbox status --output'
            echo 'table markdown json tsv'
        case '*'
            switch "$option"
                case '-p'
                    echo 'connection'
                case '--profile'
                    echo 'connection'
                case '--token-file'
                    echo 'file'
                case '-o'
                    echo 'json ndjson table markdown csv tsv yaml ids raw auto'
                case '--output'
                    echo 'json ndjson table markdown csv tsv yaml ids raw auto'
                case '-q'
                    echo 'parameter'
                case '--query'
                    echo 'parameter'
                case '--dedupe'
                    echo 'id'
                case '--columns'
                    echo 'column'
                case '--out'
                    echo 'file'
                case '--junit'
                    echo 'file'
                case '--record'
                    echo 'file'
                case '--replay'
                    echo 'file'
                case '--as'
                    echo 'curl'
                case '--ca-bundle'
                    echo 'file'
                case '--color'
                    echo 'auto always never'
                case '-d'
                    echo '@file'
                case '--data'
                    echo '@file'
                case '-f'
                    echo 'field'
                case '--raw-field'
                    echo 'field'
                case '-F'
                    echo 'field@file'
                case '--field'
                    echo 'field@file'
                case '--upload'
                    echo 'file'
                case '--format'
                    echo 'ndjson json csv tsv ids'
                case '--from'
                    echo 'file'
                case '--store'
                    echo 'keyring file config'
                case '--bundle'
                    echo 'file'
                case '--har'
                    echo 'file'
                case '--to'
                    echo 'folder'
                case '--verify'
                    echo 'folder'
                case '--report'
                    echo 'file'
                case '--keep'
                    echo 'file'
                case '--ids'
                    echo 'file'
                case '--only'
                    echo 'create update delete'
                case '--export'
                    echo 'folder'
                case '--schema'
                    echo 'file'
                case '--ready-file'
                    echo 'file'
                case '--state'
                    echo 'file'
                case '--faults'
                    echo 'file'
                case '--client'
                    echo 'claude-code claude-desktop codex cursor gemini-cli vscode windsurf zed'
                case '--shell'
                    echo 'bash zsh fish'
            end
    end
end

# What the argument after the command words is; $argument counts the arguments before it.
function __unified_argument --argument-names at argument
    switch "$at:$argument"
        case 'ticketing accounts get:*'
            echo 'record'
        case 'ticketing accounts update:*'
            echo 'record'
        case 'ticketing accounts delete:*'
            echo 'record'
        case 'ticketing attachments get:*'
            echo 'record'
        case 'ticketing attachments update:*'
            echo 'record'
        case 'ticketing attachments download:*'
            echo 'record'
        case 'ticketing collections get:*'
            echo 'record'
        case 'ticketing collections update:*'
            echo 'record'
        case 'ticketing collections delete:*'
            echo 'record'
        case 'ticketing comments get:*'
            echo 'record'
        case 'ticketing comments update:*'
            echo 'record'
        case 'ticketing comments delete:*'
            echo 'record'
        case 'ticketing contacts get:*'
            echo 'record'
        case 'ticketing contacts update:*'
            echo 'record'
        case 'ticketing contacts delete:*'
            echo 'record'
        case 'ticketing tags get:*'
            echo 'record'
        case 'ticketing tags update:*'
            echo 'record'
        case 'ticketing tags delete:*'
            echo 'record'
        case 'ticketing teams get:*'
            echo 'record'
        case 'ticketing teams update:*'
            echo 'record'
        case 'ticketing teams delete:*'
            echo 'record'
        case 'ticketing tickets get:*'
            echo 'record'
        case 'ticketing tickets update:*'
            echo 'record'
        case 'ticketing tickets delete:*'
            echo 'record'
        case 'ticketing fields get:*'
            echo 'record'
        case 'ticketing fields update:*'
            echo 'record'
        case 'ticketing fields delete:*'
            echo 'record'
        case 'ticketing users get:*'
            echo 'record'
        case 'ticketing users update:*'
            echo 'record'
        case 'ticketing users delete:*'
            echo 'record'
        case 'ticketing workspaces get:*'
            echo 'record'
        case 'ticketing workspaces update:*'
            echo 'record'
        case 'ticketing workspaces delete:*'
            echo 'record'
        case 'ticketing task_lists get:*'
            echo 'record'
        case 'ticketing tasks get:*'
            echo 'record'
        case 'ticketing tasks update:*'
            echo 'record'
        case 'ticketing tasks delete:*'
            echo 'record'
        case 'ticketing organizations get:*'
            echo 'record'
        case 'user-directory roles get:*'
            echo 'record'
        case 'user-directory roles update:*'
            echo 'record'
        case 'user-directory roles delete:*'
            echo 'record'
        case 'user-directory users get:*'
            echo 'record'
        case 'user-directory users update:*'
            echo 'record'
        case 'user-directory users delete:*'
            echo 'record'
        case 'user-directory organizations get:*'
            echo 'record'
        case 'user-directory organizations update:*'
            echo 'record'
        case 'user-directory organizations delete:*'
            echo 'record'
        case 'user-directory groups get:*'
            echo 'record'
        case 'user-directory groups update:*'
            echo 'record'
        case 'user-directory groups delete:*'
            echo 'record'
        case 'user-directory activities get:*'
            echo 'record'
        case 'user-directory licenses get:*'
            echo 'record'
        case 'user-directory workspaces get:*'
            echo 'record'
        case 'user-directory role_assignments get:*'
            echo 'record'
        case 'user-directory role_assignments delete:*'
            echo 'record'
        case 'ats applications get:*'
            echo 'record'
        case 'ats attachments download:*'
            echo 'record'
        case 'ats candidates get:*'
            echo 'record'
        case 'ats departments get:*'
            echo 'record'
        case 'ats eeocs get:*'
            echo 'record'
        case 'ats interviews get:*'
            echo 'record'
        case 'ats job_interview_stages get:*'
            echo 'record'
        case 'ats jobs get:*'
            echo 'record'
        case 'ats offices get:*'
            echo 'record'
        case 'ats organizations get:*'
            echo 'record'
        case 'ats users get:*'
            echo 'record'
        case 'knowledge-base pages get:*'
            echo 'record'
        case 'knowledge-base pages update:*'
            echo 'record'
        case 'knowledge-base page-content get:*'
            echo 'record'
        case 'knowledge-base collections get:*'
            echo 'record'
        case 'knowledge-base comments get:*'
            echo 'record'
        case 'knowledge-base spaces get:*'
            echo 'record'
        case 'knowledge-base page-exports get:*'
            echo 'record'
        case 'knowledge-base page-exports download:*'
            echo 'record'
        case 'knowledge-base files download:*'
            echo 'record'
        case 'knowledge-base users get:*'
            echo 'record'
        case 'ci-cd repos get:*'
            echo 'record'
        case 'ci-cd branches get:*'
            echo 'record'
        case 'ci-cd pull-requests get:*'
            echo 'record'
        case 'ci-cd builds get:*'
            echo 'record'
        case 'ci-cd jobs get:*'
            echo 'record'
        case 'ci-cd artifacts get:*'
            echo 'record'
        case 'ci-cd workflow get:*'
            echo 'record'
        case 'ci-cd workspaces get:*'
            echo 'record'
        case 'emails emails get:*'
            echo 'record'
        case 'emails emails update:*'
            echo 'record'
        case 'emails emails delete:*'
            echo 'record'
        case 'emails folders get:*'
            echo 'record'
        case 'emails folders update:*'
            echo 'record'
        case 'emails folders delete:*'
            echo 'record'
        case 'emails users get:*'
            echo 'record'
        case 'emails attachments get:*'
            echo 'record'
        case 'emails attachments download:*'
            echo 'record'
        case 'calendar calendars get:*'
            echo 'record'
        case 'calendar events get:*'
            echo 'record'
        case 'calendar events update:*'
            echo 'record'
        case 'calendar events delete:*'
            echo 'record'
        case 'calendar event_types get:*'
            echo 'record'
        case 'conferencing transcripts get:*'
            echo 'record'
        case 'conferencing attendees get:*'
            echo 'record'
        case 'conferencing transcript_entries get:*'
            echo 'record'
        case 'conferencing meetings get:*'
            echo 'record'
        case 'usage-metering organizations get:*'
            echo 'record'
        case 'usage-metering workspaces get:*'
            echo 'record'
        case 'voice recordings download:*'
            echo 'record'
        case 'profile list:*'
            echo 'connection'
        case 'profile show:*'
            echo 'profile'
        case 'profile set:0'
            echo 'profile'
        case 'profile set:*'
            echo 'base_url= account_id= token_file= token_command= keyring= output= timeout= retries= rate= token_rate= ca_bundle= page_size= no_input= quiet= read_only= idempotency_window= tags='
        case 'profile use:*'
            echo 'profile'
        case 'profile login:0'
            echo 'connection'
        case 'profile login:*'
            echo ''
        case 'profile logout:*'
            echo 'profile'
        case 'profile import:*'
            echo 'file'
        case 'profile test:*'
            echo 'connection'
        case 'profile rename:0'
            echo 'profile'
        case 'profile rename:*'
            echo ''
        case 'profile remove:*'
            echo 'profile'
        case 'capabilities:*'
            echo 'api/resource'
        case 'doctor:*'
            echo 'connection'
        case 'operations add:*'
            echo 'offered'
        case 'operations remove:*'
            echo 'added'
        case 'request:0'
            echo 'GET POST PATCH PUT DELETE'
        case 'request:*'
            echo ''
        case 'export:*'
            echo 'api/resource'
        case 'import:0'
            echo 'api/resource'
        case 'import:*'
            echo 'file'
        case 'sql:*'
            echo '@file'
        case 'schema:*'
            echo 'api/resource'
        case 'diff:*'
            echo 'api/resource'
        case 'plan:*'
            echo 'api/resource'
        case 'apply:*'
            echo 'file'
        case 'runs show:*'
            echo 'last-run'
        case 'runs resume:*'
            echo 'last-run'
        case 'runs retry:*'
            echo 'last-run'
        case 'runs remove:*'
            echo 'run'
        case 'help:0'
            echo 'exit-codes output query filters config environment options operations profiles runs move agents evidence checks sql sandbox engines ticketing user-directory ats knowledge-base ci-cd emails calendar conferencing usage-metering voice profile connections capabilities doctor logs operations request export import sql schema diff plan apply runs report sandbox mcp completion help'
        case 'help:*'
            echo ''
    end
end

# The known fields of the resource.
function __unified_columns --argument-names at
    switch "$at"
        case 'ticketing accounts'
            string split ' ' 'id name domains created_at updated_at etag remote_data'
        case 'ticketing attachments'
            string split ' ' 'id file_name ticket_id size file_url content_type uploaded_by uploaded_by_type created_at updated_at etag remote_data'
        case 'ticketing collections'
            string split ' ' 'id name description type parent_collection_id urls workspace created_at updated_at etag entity_type remote_data'
        case 'ticketing comments'
            string split ' ' 'id author receiver body html_body ticket attachments is_internal is_private created_at updated_at etag remote_data'
        case 'ticketing contacts'
            string split ' ' 'id first_name last_name name emails phones details account_id created_at updated_at etag custom_fields is_active remote_data'
        case 'ticketing tags'
            string split ' ' 'id name color workspace created_at updated_at etag status parent remote_data'
        case 'ticketing teams'
            string split ' ' 'id name description created_at updated_at etag remote_data'
        case 'ticketing tickets'
            string split ' ' 'id name description number assignees status created_by workspace team collections ticket_type contact additional_contacts account parent_ticket attachments tags priority etag remote_data created_at updated_at'
        case 'ticketing ticket_types'
            string split ' ' 'id name description project created_at updated_at etag remote_data'
        case 'ticketing fields'
            string split ' ' 'id name label description type format is_hidden is_unique is_required options is_user_defined entity_type entity_id created_at updated_at'
        case 'ticketing ticket_status'
            string split ' ' 'id name description etag remote_data'
        case 'ticketing ticket_priorities'
            string split ' ' 'id name description etag remote_data'
        case 'ticketing users'
            string split ' ' 'id name first_name last_name username emails is_active team_ids avatar roles created_at updated_at etag remote_data'
        case 'ticketing workspaces'
            string split ' ' 'id name status description created_at updated_at etag remote_data'
        case 'ticketing task_lists'
            string split ' ' 'id name ticket tasks created_at updated_at etag remote_data'
        case 'ticketing tasks'
            string split ' ' 'id name assignees description due_date ticket task_list status created_at updated_at etag remote_data'
        case 'ticketing organizations'
            string split ' ' 'id'
        case 'user-directory roles'
            string split ' ' 'id name label description type applicable_in created_at updated_at remote_data'
        case 'user-directory users'
            string split ' ' 'id external_id identifiers first_name last_name title name username emails phones status is_email_verified is_2fa_enabled roles created_at updated_at'
        case 'user-directory organizations'
            string split ' ' 'id name pricing_plan licenses created_at updated_at remote_data'
        case 'user-directory groups'
            string split ' ' 'id name description organization group_type created_at updated_at remote_data'
        case 'user-directory activities'
            string split ' ' 'id actor organization group description action entity entity_type context created_at remote_data'
        case 'user-directory billing'
            string split ' ' 'id description billing_frequency currency total_amount tax_amount start_date end_date created_at updated_at remote_data'
        case 'user-directory utilization'
            string split ' ' 'name metadata columns rows remote_data'
        case 'user-directory licenses'
            string split ' ' 'id name description available_quantity assigned_quantity unit_amount roles is_paid currency status products created_at updated_at remote_data'
        case 'user-directory workspaces'
            string split ' ' 'id name description status created_at updated_at organization remote_data'
        case 'user-directory me'
            string split ' ' 'id external_id identifiers first_name last_name title name username emails phones status is_email_verified is_2fa_enabled roles created_at updated_at'
        case 'user-directory role_assignments'
            string split ' ' 'id user_id group_id group_type role_id workspace created_at updated_at remote_data'
        case 'ats activities'
            string split ' ' 'id candidate actor activity_type from to cc subject body visibility created_at updated_at remote_data'
        case 'ats applications'
            string split ' ' 'id candidate job applied_at rejected_at source credited_to current_stage reject_reason attachments created_at updated_at remote_data'
        case 'ats attachments'
            string split ' ' 'id file_name file_url candidate application job attachment_type created_at updated_at remote_data'
        case 'ats candidates'
            string split ' ' 'id first_name last_name name company title last_interaction_at is_private can_email locations phones emails urls tags applications attachments created_at updated_at remote_data'
        case 'ats departments'
            string split ' ' 'id name parent status created_at updated_at remote_data'
        case 'ats eeocs'
            string split ' ' 'id candidate submitted_at race gender veteran_status disability_status created_at updated_at remote_data'
        case 'ats interviews'
            string split ' ' 'id application candidate job_interview_stage organizer interviewers location start_at end_at status created_at updated_at remote_data'
        case 'ats job_interview_stages'
            string split ' ' 'id name status job position created_at updated_at remote_data'
        case 'ats jobs'
            string split ' ' 'id name description code requisition_id status locations job_posting_urls confidential departments teams offices hiring_managers recruiters created_at updated_at'
        case 'ats job_form_fields'
            string split ' ' 'id name job label index is_required answer_visibility description type options group_id group_name created_at updated_at'
        case 'ats offers'
            string split ' ' 'id application candidate job creator closed_at sent_at start_date status created_at updated_at remote_data'
        case 'ats offices'
            string split ' ' 'id name parent location is_remote created_at updated_at remote_data'
        case 'ats reject_reasons'
            string split ' ' 'id name created_at updated_at remote_data'
        case 'ats scorecards'
            string split ' ' 'id application candidate interview interviewer submitted_at overall_recommendation form_values created_at updated_at remote_data'
        case 'ats tags'
            string split ' ' 'id name created_at updated_at remote_data'
        case 'ats users'
            string split ' ' 'id first_name last_name name emails disabled access_role created_at updated_at remote_data'
        case 'knowledge-base pages'
            string split ' ' 'id title description page_type status tags parent space collection created_by created_at updated_at'
        case 'knowledge-base page-content'
            string split ' ' 'id sequence page page_type parent has_children body urls created_at updated_at remote_data'
        case 'knowledge-base collections'
            string split ' ' 'id name description type space parent urls created_at updated_at remote_data'
        case 'knowledge-base comments'
            string split ' ' 'id created_by parent body created_at remote_data'
        case 'knowledge-base spaces'
            string split ' ' 'id identifier name description status urls created_at updated_at remote_data'
        case 'knowledge-base tags'
            string split ' ' 'id name description space created_at updated_at remote_data'
        case 'knowledge-base page-exports'
            string split ' ' 'id status page urls remote_data'
        case 'knowledge-base files'
            string split ' ' 'id file_name page_id size file_url content_type uploaded_by created_at updated_at remote_data'
        case 'knowledge-base permissions'
            string split ' ' 'id resources user permissions remote_data'
        case 'ci-cd repos'
            string split ' ' 'id name description owner owner_type visibility vcs_url status default_branch created_at updated_at remote_data'
        case 'ci-cd branches'
            string split ' ' 'id name repo last_commit last_commit_by last_commit_message last_commit_at created_at updated_at remote_data'
        case 'ci-cd pull-requests'
            string split ' ' 'id title number description status base_branch head_branch author created_at updated_at'
        case 'ci-cd builds'
            string split ' ' 'id name repo branch commit trigger triggered_by triggered_by_type conclusion workflow build status created_at updated_at started_at completed_at'
        case 'ci-cd jobs'
            string split ' ' 'id name build status conclusion commit branch attempts created_at updated_at started_at completed_at remote_data'
        case 'ci-cd artifacts'
            string split ' ' 'id name workflow build size_in_bytes download_url created_at updated_at expires_at expired remote_data'
        case 'ci-cd caches'
            string split ' ' 'id branch key version created_at updated_at last_used_at size_in_bytes remote_data'
        case 'ci-cd workflow'
            string split ' ' 'id name remote_data'
        case 'ci-cd workspaces'
            string split ' ' 'id name created_at updated_at remote_data'
        case 'ci-cd organizations'
            string split ' ' 'id name created_at updated_at remote_data'
        case 'ci-cd branch-protection-rules'
            string split ' ' 'id name repos pattern is_active require_owner_approval required_checks access_restrictions integration_restrictions created_at updated_at'
        case 'emails emails'
            string split ' ' 'id from to cc bcc subject content headers reply_to priority folder is_draft attachments urls created_at updated_at sent_at remote_data'
        case 'emails folders'
            string split ' ' 'id name folder_url size description parent created_at updated_at remote_data'
        case 'emails users'
            string split ' ' 'id first_name last_name name emails roles created_at updated_at remote_data'
        case 'emails attachments'
            string split ' ' 'id file_name email size file_url content_type uploaded_by created_at updated_at remote_data'
        case 'calendar attachments'
            string split ' ' 'id name event mime_type url created_at updated_at remote_data'
        case 'calendar calendars'
            string split ' ' 'id name description location status visibility is_default timezone access_role colors created_at updated_at remote_data'
        case 'calendar events'
            string split ' ' 'id calendar title description location timezone start_time created_at updated_at'
        case 'calendar availability'
            string split ' ' 'calendar email start_time end_time timezone availability remote_data'
        case 'calendar event_types'
            string split ' ' 'id name label status urls color duration description allow_scheduling position form_fields locations created_at updated_at remote_data'
        case 'calendar contacts'
            string split ' ' 'id first_name middle_name last_name name title addresses email_addresses phone_numbers tags last_activity_at created_at updated_at remote_data'
        case 'calendar users'
            string split ' ' 'id external_id identifiers first_name last_name title name username emails phones status roles created_at updated_at'
        case 'conferencing transcripts'
            string split ' ' 'id meeting entries start_time end_time remote_data'
        case 'conferencing attendees'
            string split ' ' 'id name email is_host type meeting start_time end_time remote_data'
        case 'conferencing transcript_entries'
            string split ' ' 'id speaker_id speaker_type speaker_name text raw_text start_time end_time transcript meeting remote_data'
        case 'conferencing meetings'
            string split ' ' 'id title attendees duration start_time end_time audio_recording_url video_recording_url status topics type created_at updated_at'
        case 'usage-metering products'
            string split ' ' 'id name description created_at updated_at remote_data'
        case 'usage-metering usage'
            string split ' ' 'id product metric_name resources organization charges usage start_date end_date created_at updated_at remote_data'
        case 'usage-metering organizations'
            string split ' ' 'id name created_at updated_at remote_data'
        case 'usage-metering workspaces'
            string split ' ' 'id name organization created_at updated_at remote_data'
        case 'voice calls'
            string split ' ' 'id from to status direction created_at remote_data'
        case 'voice recordings'
            string split ' ' 'id url call_id start_time end_time created_at remote_data'
    end
end

# The known parameters of the operation.
function __unified_parameters --argument-names at
    switch "$at"
        case 'ticketing accounts list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing attachments list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing attachments download'
            string split ' ' 'file_url='
        case 'ticketing collections list'
            string split ' ' 'type= created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing comments list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing contacts list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing tags list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing teams list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing tickets list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing ticket_types list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing fields list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing ticket_status list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing ticket_priorities list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing users list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing workspaces list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing task_lists list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing tasks list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ticketing organizations list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'user-directory roles list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'user-directory users list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'user-directory users downgrade'
            string split ' ' 'user_id= license_id= role= role_id='
        case 'user-directory users deactivate'
            string split ' ' 'actor='
        case 'user-directory users unassign-role'
            string split ' ' 'id= roles= workspace_id='
        case 'user-directory organizations list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'user-directory groups list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'user-directory activities list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'user-directory billing list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'user-directory utilization list'
            string split ' ' 'type= created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'user-directory licenses list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'user-directory workspaces list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'user-directory me list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'user-directory role_assignments list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats activities list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats applications list'
            string split ' ' 'job_id= candidate_id= jobs= created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats attachments list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats attachments download'
            string split ' ' 'file_url='
        case 'ats candidates list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats departments list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats eeocs list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats interviews list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats job_interview_stages list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats jobs list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats job_form_fields list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats offers list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats offices list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats organizations list'
            string split ' ' 'name= created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats reject_reasons list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats scorecards list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats tags list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ats users list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'knowledge-base pages list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'knowledge-base page-content list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'knowledge-base page-content export'
            string split ' ' 'page='
        case 'knowledge-base collections list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'knowledge-base comments list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'knowledge-base spaces list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'knowledge-base tags list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'knowledge-base page-exports create'
            string split ' ' 'collection= page='
        case 'knowledge-base page-exports get'
            string split ' ' 'collection= page='
        case 'knowledge-base page-exports download'
            string split ' ' 'file_url='
        case 'knowledge-base files list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'knowledge-base files download'
            string split ' ' 'file_url='
        case 'knowledge-base permissions list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'knowledge-base users list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ci-cd repos list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ci-cd branches list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ci-cd pull-requests list'
            string split ' ' 'owner= repo_id= filter_Query= title= status= created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ci-cd pull-requests get'
            string split ' ' 'repo_id= owner= repo= workspace_id='
        case 'ci-cd builds list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ci-cd jobs list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ci-cd artifacts list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ci-cd caches list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ci-cd workflow list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ci-cd workspaces list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ci-cd organizations list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'ci-cd branch-protection-rules list'
            string split ' ' 'project_id= created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'emails emails list'
            string split ' ' 'from= subject= to= folder= is_draft= format= user= created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'emails emails send-draft'
            string split ' ' 'id='
        case 'emails folders list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'emails users list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'emails attachments list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'emails attachments download'
            string split ' ' 'file_url='
        case 'calendar attachments list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'calendar calendars list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'calendar events list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'calendar availability list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'calendar event_types list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'calendar contacts list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'calendar users list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'conferencing transcripts list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'conferencing attendees list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'conferencing transcript_entries list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'conferencing meetings list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'usage-metering products list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'usage-metering usage list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'usage-metering organizations list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'usage-metering workspaces list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'usage-metering users list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'voice calls list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
        case 'voice recordings list'
            string split ' ' 'created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]='
    end
end

# The known fields of the operation's body.
function __unified_fields --argument-names at
    switch "$at"
        case 'ticketing accounts create' 'ticketing accounts update'
            string split ' ' 'name= domains='
        case 'ticketing attachments create'
            string split ' ' 'file_name= content_type= data='
        case 'ticketing attachments update'
            string split ' ' 'file_name= ticket_id= size= file_url= content_type= uploaded_by= uploaded_by_type='
        case 'ticketing collections create' 'ticketing collections update'
            string split ' ' 'name= description= type= parent_collection_id= urls= workspace= entity_type='
        case 'ticketing comments create' 'ticketing comments update'
            string split ' ' 'author= receiver= body= html_body= ticket= attachments= is_internal= is_private='
        case 'ticketing contacts create' 'ticketing contacts update'
            string split ' ' 'first_name= last_name= name= emails= phones= details= account_id= custom_fields= is_active='
        case 'ticketing tags create' 'ticketing tags update'
            string split ' ' 'name= color= workspace= status= parent='
        case 'ticketing teams create' 'ticketing teams update'
            string split ' ' 'name= description='
        case 'ticketing tickets create' 'ticketing tickets update'
            string split ' ' 'name= description= number= assignees= status= created_by= workspace= team= collections= ticket_type= contact= additional_contacts= account= parent_ticket= attachments= tags= priority='
        case 'ticketing fields create' 'ticketing fields update'
            string split ' ' 'name= label= description= type= format= is_hidden= is_unique= is_required= options= is_user_defined= entity_type= entity_id='
        case 'ticketing users create' 'ticketing users update'
            string split ' ' 'name= first_name= last_name= username= emails= is_active= team_ids= avatar= roles='
        case 'ticketing workspaces create'
            string split ' ' 'name= account_id='
        case 'ticketing workspaces update'
            string split ' ' 'name= status= description='
        case 'ticketing task_lists create'
            string split ' ' 'name= ticket= tasks='
        case 'ticketing tasks create' 'ticketing tasks update'
            string split ' ' 'name= assignees= description= due_date= ticket= task_list= status='
        case 'user-directory roles create'
            string split ' ' 'name= description= license='
        case 'user-directory roles update'
            string split ' ' 'name= label= description= type= applicable_in='
        case 'user-directory users create' 'user-directory users update'
            string split ' ' 'external_id= identifiers= first_name= last_name= title= name= username= emails= phones= status= is_email_verified= is_2fa_enabled= roles='
        case 'user-directory users deactivate' 'user-directory users suspend'
            string split ' ' 'user_id='
        case 'user-directory users assign-role' 'user-directory users assign_role' 'user-directory users unassign_role'
            string split ' ' 'user_id= roles= workspace_id='
        case 'user-directory users unassign-role'
            string split ' ' 'user_id= organizations='
        case 'user-directory organizations update'
            string split ' ' 'name= pricing_plan= licenses='
        case 'user-directory groups create' 'user-directory groups update'
            string split ' ' 'name= description= organization= group_type='
        case 'user-directory groups remove-user' 'user-directory groups add-user' 'user-directory groups add' 'user-directory groups remove'
            string split ' ' 'group_id= user_id='
        case 'ats activities create'
            string split ' ' 'candidate= actor= activity_type= from= to= cc= subject= body= visibility='
        case 'ats applications move-stage'
            string split ' ' 'application_id= stage_id= user_id= candidate_id='
        case 'ats applications reject'
            string split ' ' 'application_id= reject_reason_id= user_id='
        case 'ats attachments create'
            string split ' ' 'file_name= file_url= candidate= application= job= attachment_type='
        case 'ats candidates create'
            string split ' ' 'first_name= last_name= name= company= title= last_interaction_at= is_private= can_email= locations= phones= emails= urls= tags= applications= attachments='
        case 'knowledge-base pages create' 'knowledge-base pages update'
            string split ' ' 'title= description= page_type= status= tags= parent= space= collection= created_by='
        case 'knowledge-base page-content append'
            string split ' ' 'page= body='
        case 'knowledge-base page-exports create'
            string split ' ' 'format='
        case 'emails emails create'
            string split ' ' 'from= to= cc= bcc= subject= content= priority= reply_to= attachments='
        case 'emails emails update'
            string split ' ' 'from= to= cc= bcc= subject= content= headers= reply_to= priority= folder= is_draft= attachments= urls= sent_at='
        case 'emails emails send'
            string split ' ' 'to= subject= content= cc= bcc= reply_to= priority= folder= attachments='
        case 'emails emails reply'
            string split ' ' 'id= to= cc= bcc= subject= content='
        case 'emails emails reply-all'
            string split ' ' 'id= content='
        case 'emails emails forward'
            string split ' ' 'id= to= content='
        case 'emails emails move'
            string split ' ' 'id= folder='
        case 'emails folders create' 'emails folders update'
            string split ' ' 'name= folder_url= size= description= parent='
        case 'calendar events create' 'calendar events update'
            string split ' ' 'calendar= title= description= location= timezone= start_time='
        case 'voice recordings download'
            string split ' ' 'url='
    end
end

# The folder of the configuration.
function __unified_folder
    if test -n "$XDG_CONFIG_HOME"
        echo $XDG_CONFIG_HOME/unified
    else if test -d "$HOME/Library/Application Support/unified"
        echo "$HOME/Library/Application Support/unified"
    else
        echo "$HOME/.config/unified"
    end
end

# The profiles of the config file, those with harmless names.
function __unified_profiles
    set -l file $UNIFIED_CONFIG
    test -n "$file"; or set file (__unified_folder)/config.toml
    printf '%s\t%s\n' sandbox 'the built-in profile'
    test -f "$file" -a -r "$file"; or return
    string match -rag '^\s*\[profiles\.(?:([A-Za-z0-9][A-Za-z0-9_-]*)|"([A-Za-z0-9][A-Za-z0-9._-]*)")\]\s*(?:#.*)?$' <$file | string match -r '.+'
end

# The aliases of the config file, those with harmless names, each with its words.
function __unified_aliases
    set -l file $UNIFIED_CONFIG
    test -n "$file"; or set file (__unified_folder)/config.toml
    test -f "$file" -a -r "$file"; or return
    set -l known (__unified_words '' | string replace -r '\t.*' '')
    set -l inside ''
    while read -l line
        if string match -qr '^\s*\[' -- "$line"
            test -n "$inside"; and return
            string match -qr '^\s*\[\s*alias\s*\]' -- "$line"; and set inside 1
        else if test -n "$inside"
            if string match -qr '^\s*"?(?<name>[A-Za-z0-9][A-Za-z0-9_-]*)"?\s*=\s*["\'](?<value>[a-z][^"\']*)["\']' -- "$line"
                set -l first (string split -m 1 ' ' -- $value)[1]
                contains -- $first $known; and not contains -- $name $known; and printf '%s\t%s\n' $name $value
            end
        end
    end <$file
end

# The tags in the config file, those with harmless names.
function __unified_tags
    set -l file $UNIFIED_CONFIG
    test -n "$file"; or set file (__unified_folder)/config.toml
    test -f "$file" -a -r "$file"; or return
    string match -rg '^\s*tags\s*=\s*\[(.*)\]' <$file | string match -rag '"([A-Za-z0-9][A-Za-z0-9._-]*)"' | string replace -r '^' tag:
end

# The ids or columns that a terminal showed of the resource within a day.
function __unified_seen --argument-names kind at profile account
    test -z "$account"; or return
    test -n "$profile"; or set profile $UNIFIED_PROFILE
    if test -z "$profile"
        set -l file $UNIFIED_CONFIG
        test -n "$file"; or set file (__unified_folder)/config.toml
        test -f "$file" -a -r "$file"; or return
        while read -l line
            string match -q '[*' -- "$line"; and break
            string match -qr '^profile\s*=\s*"(?<named>[A-Za-z0-9][A-Za-z0-9._-]*)"' -- "$line"; and set profile $named
        end <$file
    end
    string match -qr '^[A-Za-z0-9][A-Za-z0-9._-]*$' -- "$profile"; or return
    set -l words (string split ' ' -- "$at")
    string match -qr '^[a-z0-9_-]+ [a-z0-9_-]+$' -- "$words[1..2]"; or return
    set -l cache "$HOME/.cache/unified"
    if test -n "$XDG_CACHE_HOME"
        set cache $XDG_CACHE_HOME/unified
    else if test -d "$HOME/Library/Caches/unified"
        set cache "$HOME/Library/Caches/unified"
    end
    set -l file $cache/completion/$profile/$words[1].$words[2].$kind
    test -f $file -a -O $file -a -r $file; or return
    # Without the builtin path, which is there from fish 3.5 on, the time is not known.
    builtin -q path; or return
    set -l config $UNIFIED_CONFIG
    test -n "$config"; or set config (__unified_folder)/config.toml
    set config (string replace -a // / -- $config)
    read -l first <$file
    set -l seen (string match -rg '^([1-9][0-9]{0,11}) \S+ (.*)$' -- $first)
    test "$seen[2]" = "$config" -a -e "$config"; or return
    # A profile may lead elsewhere in a newer or older file of this name: the list of words has the time of its config file.
    set -l changed (path mtime -- $file)
    test "$changed" = (path mtime -- $config); or return
    test $config -nt $file; or test $config -ot $file; and return
    # The time of day, which only an age tells without another program.
    test (math $changed + (path mtime -R -- $file) - $seen[1]) -lt 86400; or return
    string match -r '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' <$file
end

# The ids of the runs, as their files are named.
function __unified_runs
    set -l folder "$HOME/.local/share/unified"
    if test -n "$XDG_DATA_HOME"
        set folder $XDG_DATA_HOME/unified
    else if test -d "$HOME/Library/Application Support/unified"
        set folder "$HOME/Library/Application Support/unified"
    end
    for file in $folder/runs/*.ndjson
        string match -rg '/([0-9]{8}-[0-9a-f]{4,8})\.ndjson$' -- $file
    end
end

# The names that the connection described of the operation, up to the =; of the query or the body.
function __unified_described --argument-names part at profile account
    set -l words (string split ' ' -- "$at")
    string match -qr '^[a-z0-9_-]+$' -- "$words[3]"; or return
    __unified_seen "$words[3].$part" "$at" "$profile" "$account" | string replace -r '$' '='
end

# What the user's own catalogue files add after the command words.
function __unified_added --argument-names folder at
    set -l words (string split ' ' -- "$at")
    contains -- "$words[1]" profile connections capabilities doctor logs operations request export import sql schema diff plan apply runs report sandbox mcp completion help; and return
    for file in $folder/catalogue.d/*.toml
        test -f $file -a -r $file; or continue
        set -l section ''
        while read -l line
            if string match -qr '^\[api\.(?<api>[a-z0-9_-]+)\.resources\]' -- "$line"
                set section $api
                test -z "$at"; and echo $section
            else if string match -q '[*' -- "$line"
                set section ''
            else if test -n "$at" -a "$section" = "$words[1]"
                if string match -qr '^(?<name>[a-z0-9_-]+)\s*=\s*(?:\{.*operations\s*=\s*)?"(?<operations>[a-z0-9_ -]*)"' -- "$line"
                    if not set -q words[2]
                        echo $name
                    else if test "$name" = "$words[2]"; and not set -q words[3]
                        string split -n ' ' -- $operations | string replace -r '^crud$' 'list create get update delete' | string split ' '
                    end
                end
            end
        end <$file
    end
end

# Values of a kind, each after the text before them in the same word.
function __unified_offer --argument-names kind before current at profile account
    switch "$kind"
        case ''
            return
        case file
            __unified_files "$before" "$current"
        case folder
            __unified_files "$before" "$current" | string match -r '^[^\t]*/(?:\t.*)?$'
        case '@file'
            if set -l parts (string match -r '^((?:[^@]*)@(?:base64:)?)(.*)$' -- "$current")
                __unified_files "$before$parts[2]" $parts[3]
            end
        case profile
            __unified_profiles | string replace -r '^' -- "$before"
        case connection
            # After ! it is one that is left out.
            string match -q '!*' -- "$current"; and set before "$before!"
            begin
                __unified_profiles
                __unified_tags
            end | string replace -r '^' -- "$before"
        case record
            __unified_seen ids "$at" "$profile" "$account" | string replace -r '^' -- "$before"
        case column
            set -l words (string split ' ' -- "$at")
            set -l begun (string match -r '^.*,' -- "$current")
            begin
                __unified_columns "$words[1..2]"
                __unified_seen columns "$at" "$profile" "$account"
            end | string replace -r '^' -- "$before$begun"
        case parameter
            begin
                __unified_parameters "$at"
                __unified_described query "$at" "$profile" "$account"
            end | string replace -r '^' -- "$before"
        case field 'field@file'
            if test "$kind" = 'field@file'; and string match -q '*=*' -- "$current"
                __unified_offer '@file' "$before" "$current" "$at" "$profile" "$account"
                return
            end
            begin
                __unified_fields "$at"
                __unified_described body "$at" "$profile" "$account"
            end | string replace -r '^' -- "$before"
        case run last-run
            begin
                __unified_runs
                test "$kind" = run; or echo last
            end | string replace -r '^' -- "$before"
        case offered
            # The names that the connection was seen to offer have a dot for the slash.
            __unified_seen offers 'operations add names' "$profile" "$account" | string replace . / | string replace -r '^' -- "$before"
        case api/resource added
            set -l folder (__unified_folder)
            if set -l parts (string match -r '^([^/]*)/' -- "$current")
                if test "$kind" != added
                    __unified_words $parts[2] | string replace -r '^' -- "$before$parts[1]"
                else if test -d $folder/catalogue.d
                    __unified_added $folder $parts[2] | string replace -r '^' -- "$before$parts[1]"
                end
            else
                test "$kind" = added; or printf "$before%s/\n" ticketing user-directory ats knowledge-base ci-cd emails calendar conferencing usage-metering voice
                if test -d $folder/catalogue.d
                    __unified_added $folder '' | string replace -r '^(.*)$' -- "$before\$1/"
                end
            end
        case '*'
            string split ' ' -- $kind | string replace -r '^' -- "$before"
    end
end

function __unified_files --argument-names before current
    __fish_complete_path $current | string replace -r '^' -- "$before"
end

function __unified_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct | string replace -r '^["\']' '')
    set -l at ''
    set -l skip ''
    set -l helped ''
    set -l argument 0
    set -l profile ''
    set -l account ''
    set -l known (__unified_words '')
    set -e typed[1]
    for word in $typed
        if test -n "$skip"
            contains -- $skip -p --profile; and set profile $word
            contains -- $skip -a --account-id; and set account $word
            set skip ''
            continue
        end
        switch $word
            case '--profile=*'
                set profile (string replace -r '^[^=]*=' '' -- $word)
            case '--account-id=*'
                set account (string replace -r '^[^=]*=' '' -- $word)
            case '--*=*'
            case -p --profile -a --account-id --base-url --token-file -o --output -q --query --limit --page-size --since --cursor --dedupe --columns --jq --out --expect --junit --until --fail-if --every --wait-timeout --record --replay --as --timeout --retries --rate --token-rate --workers --ca-bundle --color -d --data -f --raw-field -F --field --upload --content-type --max-failures --stages --idempotency-key --format --from --token-command --tag --store --with --where --prefix --product --bundle --har --to --shard --verify --task --engine --lag --operation --map --report --delimiter --keep --records --against --key --ignore --set --ids --only --max-deletes --export --schema --port --host --allow-host --ready-file --seed --state --faults --requests-per-minute --client --shell
                set skip $word
            case '-*'
            case '*'
                if test "$at$helped" = '' -a "$word" = help
                    # The words after help are those of the command itself.
                    set helped help
                else if set -q known[1]
                    set -l parts $word
                    if test -z "$at"; and not string match -q -- "$word"\t'*' $known
                        set -l value (__unified_aliases | string match -rg '^'(string escape --style=regex -- $word)'\t(.*)')
                        set -q value[1]; and set parts (string split -n ' ' -- $value[1])
                    end
                    for part in $parts
                        string match -qr '^-' -- $part; and break
                        if set -q known[1]
                            set at (string trim -- "$at $part")
                            set known (__unified_words "$at")
                        else
                            set argument (math $argument + 1)
                        end
                    end
                    test -n "$helped"; and set argument (math $argument + 1)
                else
                    set argument (math $argument + 1)
                end
        end
    end
    if test -n "$skip"
        __unified_offer "$(__unified_value $skip "$at")" '' "$current" "$at" "$profile" "$account"
    else if string match -q -- '--*=*' $current
        set -l parts (string split -m 1 = -- $current)
        __unified_offer "$(__unified_value $parts[1] "$at")" "$parts[1]=" "$parts[2]" "$at" "$profile" "$account"
    else if string match -q -- '-*' $current
        test -n "$helped"; and set at help
        __unified_flags "$at"
    else if set -q known[1]; and test -z "$helped" -o -n "$at"
        printf '%s\n' $known
        test -n "$at"; or __unified_aliases
    else
        test -n "$helped"; and set at help
        __unified_offer "$(__unified_argument "$at" $argument)" '' "$current" "$at" "$profile" "$account"
    end
end

complete -c unified -f -k -a '(__unified_complete)'
