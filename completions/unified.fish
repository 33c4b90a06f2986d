# fish completion for unified. Static: a TAB starts no program, evaluates nothing it reads, and uses no network.
# Generated from the catalogue and the options; do not edit.

# What may follow the command words, each with its purpose.
function __unified_words --argument-names at
    switch "$at"
        case ''
            printf '%s\t%s\n' ticketing 'Help desks, issue trackers and CRM cases' user-directory 'People, groups, roles and licences of an application' ats 'Applicant tracking: jobs, candidates, interviews, offers' knowledge-base 'Wikis, help centres and document spaces' ci-cd 'Repositories, pull requests, builds and artifacts' emails 'Mailboxes: messages, drafts, folders' calendar 'Calendars, events and free time' conferencing 'Video meetings, their attendees and transcripts' usage-metering 'Usage of products, by whom and at what cost' voice 'Phone calls and their recordings' request 'Call any path below the base URL' export 'Write many lists of many connections to files' import 'Send every record of a file once' diff 'Compare two lists of records' operations 'Search the operations' help 'Show help on exit codes, output, profiles and more' completion 'Complete commands with TAB' sandbox 'Manage the local sandbox of the service' doctor 'Find problems on this machine and on the way to the service' connections 'List the connections that a token can see, and add profiles' profile 'Manage named connections and their tokens'
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
            printf '%s\t%s\n' attachments 'Files on an event' calendars 'Calendars the connection can see' events 'Meetings and other entries' availability 'When somebody is free or busy' event_types 'Kinds of meetings that can be booked' contacts 'People in the address book' users 'People with a calendar'
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
        case 'completion'
            printf '%s\t%s\n' bash 'Print the script for bash' zsh 'Print the script for zsh' fish 'Print the script for fish' pwsh 'Print the script for pwsh' install 'Install the script where the shell looks for it'
        case 'sandbox'
            printf '%s\t%s\n' serve 'Serve the sandbox on a local port, for any client' reset 'Reset all records to their initial state' seed 'Start over with other records; the same word generates the same records' status 'Show where the records are stored, and the connections'
        case 'connections'
            printf '%s\t%s\n' list 'List the connections that the token can see' add 'Add a profile for each connection'
        case 'profile'
            printf '%s\t%s\n' list 'List the profiles' show 'Show the settings of a profile, and where each comes from' path 'Print the path of the config file' add 'Add a profile' set 'Change profiles, or what holds for all' use 'Choose the profile that is used when none is named' login 'Store a profile\'s token safely' logout 'Remove a profile\'s token' import 'Add many profiles at once, from a CSV file' test 'Test each connection with one request' remove 'Remove a profile'
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
            printf '%s\t%s\n' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --account-id 'the connection\'s id, instead of the profile\'s' -a 'the connection\'s id, instead of the profile\'s' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --output 'the output format' -o 'the output format' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'request'
            printf '%s\t%s\n' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --account-id 'the connection\'s id, instead of the profile\'s' -a 'the connection\'s id, instead of the profile\'s' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --data 'the request body; - is standard input' -d 'the request body; - is standard input' --raw-field 'set a field to a string; a[b]=1 nests' -f 'set a field to a string; a[b]=1 nests' --field 'set a field to a JSON value, else a string; @base64:FILE for bytes' -F 'set a field to a JSON value, else a string; @base64:FILE for bytes' --all 'read all pages, not one' --limit 'read at most N records of each connection' --page-size 'records per page' --cursor 'start at this cursor' --allow-partial 'exit 0 on partial results of the provider' --restart 'with --out: start over instead of resuming' --dedupe 'with --out: leave out repeated records' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --out 'write the result to a file, a download also to a folder' --force 'overwrite the file; print binary on a terminal' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --yes 'delete, or write to several connections, without asking; required off a terminal' -y 'delete, or write to several connections, without asking; required off a terminal' --idempotency-key 'reuse the key of an earlier attempt of this write' --timeout 'seconds for a request with its retries (120)' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection, 0: no limit (45)' --token-rate 'requests per 10 s and token, 0: no limit (ten times --rate)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'export'
            printf '%s\t%s\n' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --account-id 'the connection\'s id, instead of the profile\'s' -a 'the connection\'s id, instead of the profile\'s' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --to 'the folder to write to; run again to resume' --shard 'write only part K of N of the files' --verify 'check a folder against its manifest' --tasks 'print a task for each connection, as NDJSON, and export nothing' --task 'do one of these tasks; - is standard input' --incremental 'add what changed since the last run, as one more file a list' --lag 'with --incremental: seconds to look back, for late changes (60)' --restart 'start over: read everything and replace the files' --dedupe 'leave out repeated records' --format 'the format of the files' --output 'the format of the files' -o 'the format of the files' --page-size 'records per page' --allow-partial 'exit 0 on partial results of the provider' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --timeout 'seconds for a request with its retries (120)' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection, 0: no limit (45)' --token-rate 'requests per 10 s and token, 0: no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'import'
            printf '%s\t%s\n' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --account-id 'the connection\'s id, instead of the profile\'s' -a 'the connection\'s id, instead of the profile\'s' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --operation 'the operation for each record (create)' --map 'a jq program that reshapes each record' --report 'write the outcome of each line to a file' --fail-fast 'stop at the first record that fails' --restart 'discard the journal and send everything again' --retry-in-doubt 'send records in doubt again' --format 'the format of the input, if it is not detected' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --output 'the output format' -o 'the output format' --dry-run 'print the request as JSON and send nothing' --yes 'delete, or write to several connections, without asking; required off a terminal' -y 'delete, or write to several connections, without asking; required off a terminal' --timeout 'seconds for a request with its retries (120)' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection, 0: no limit (45)' --token-rate 'requests per 10 s and token, 0: no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'diff'
            printf '%s\t%s\n' --from 'a profile, a folder of an export, or an NDJSON file' --to 'what it is compared with' --key 'join records by this value (id); .a.b is a jq program' --map 'a jq program that reshapes each record of --from' --ignore 'leave these values out' --set 'an array whose order does not matter' --output 'the output format' -o 'the output format' --timeout 'seconds for a request with its retries (120)' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection, 0: no limit (45)' --token-rate 'requests per 10 s and token, 0: no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'operations'
            printf '%s\t%s\n' --output 'the output format' -o 'the output format' --source 'show the file that defines each operation' --openapi 'print the catalogue as an OpenAPI 3.1 document'
        case 'completion install'
            printf '%s\t%s\n' --shell 'for this shell, not that of $SHELL'
        case 'sandbox serve'
            printf '%s\t%s\n' --token-file 'read the token from a file' --port 'the local port; 0 picks a free one' --host 'listen on this address; unsafe off the loopback interface' --allow-host 'also answer requests to this exact name; unsafe' --ready-file 'how to reach it, written once it listens' --seed 'the seed of the generated records: a word or a number' --state 'where changes are stored' --faults 'simulate faults: 429=5%,slow=200ms … (unified help sandbox)' --records 'the number of records of a resource' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies'
        case 'sandbox status'
            printf '%s\t%s\n' --output 'the output format' -o 'the output format'
        case 'doctor'
            printf '%s\t%s\n' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --with 'the list to read instead of "user-directory me"' --output 'the output format' -o 'the output format' --network 'call the service too; without it nothing is sent' --timeout 'seconds for a request with its retries (120)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'connections list'
            printf '%s\t%s\n' --where 'only those for which this jq program says true: .product == "x"' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --page-size 'records per page' --output 'the output format' -o 'the output format' --timeout 'seconds for a request with its retries (120)' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection, 0: no limit (45)' --token-rate 'requests per 10 s and token, 0: no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'connections add'
            printf '%s\t%s\n' --where 'only those for which this jq program says true: .product == "x"' --prefix 'begin each profile\'s name with this' --tag 'give each profile this tag' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --page-size 'records per page' --dry-run 'show the profiles and add none' --yes 'add without asking; required off a terminal' -y 'add without asking; required off a terminal' --timeout 'seconds for a request with its retries (120)' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection, 0: no limit (45)' --token-rate 'requests per 10 s and token, 0: no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'profile list'
            printf '%s\t%s\n' --output 'the output format' -o 'the output format' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'profile show'
            printf '%s\t%s\n' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --explain 'also show the values that were overridden' --output 'the output format' -o 'the output format' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'profile path'
            printf '%s\t%s\n' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'profile add'
            printf '%s\t%s\n' --account-id 'the connection: one customer\'s account in some product' -a 'the connection: one customer\'s account in some product' --base-url 'the service\'s base URL, like https://api.example.com' --token-file 'a file whose only line is the token' --ca-bundle 'a file of additional certificate authorities to trust' --timeout 'seconds for one request with all its retries' --retries 'retries after the first attempt' --rate 'requests per 10 seconds and connection, 0 for no limit' --token-command 'the program that prints the token' --keyring 'the token is in this machine\'s keyring' --tag 'add a tag, for -p tag:NAME' --read-only 'refuse every write' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'profile set'
            printf '%s\t%s\n' --default 'the values for all profiles without their own' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'profile use'
            printf '%s\t%s\n' --none 'use no default profile' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'profile login'
            printf '%s\t%s\n' --store 'where to store it' --shared 'the token of all profiles without their own' --token-stdin 'read the token from standard input' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'profile logout'
            printf '%s\t%s\n' --shared 'the token of all profiles without their own' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'profile import'
            printf '%s\t%s\n' --update 'change profiles that exist instead of refusing them' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'profile test'
            printf '%s\t%s\n' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --with 'the list to read instead of "user-directory me"' --output 'the output format' -o 'the output format' --timeout 'seconds for a request with its retries (120)' --retries 'retries after the first attempt (4)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'profile remove'
            printf '%s\t%s\n' --yes 'do not ask before removing' -y 'do not ask before removing' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case 'knowledge-base page-exports create'
            printf '%s\t%s\n' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --account-id 'the connection\'s id, instead of the profile\'s' -a 'the connection\'s id, instead of the profile\'s' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --data 'the request body; - is standard input' -d 'the request body; - is standard input' --raw-field 'set a field to a string; a[b]=1 nests' -f 'set a field to a string; a[b]=1 nests' --field 'set a field to a JSON value, else a string; @base64:FILE for bytes' -F 'set a field to a JSON value, else a string; @base64:FILE for bytes' --skeleton 'print a body to fill in and send nothing' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --out 'write the result to a file, a download also to a folder' --force 'overwrite the file; print binary on a terminal' --wait-timeout 'maximum seconds to wait (600)' --wait 'wait until the job is done; with --out, download its file' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --idempotency-key 'reuse the key of an earlier attempt of this write' --timeout 'seconds for a request with its retries (120)' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection, 0: no limit (45)' --token-rate 'requests per 10 s and token, 0: no limit (ten times --rate)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case '* * list'
            printf '%s\t%s\n' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --account-id 'the connection\'s id, instead of the profile\'s' -a 'the connection\'s id, instead of the profile\'s' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --all 'read all pages, not one' --limit 'read at most N records of each connection' --page-size 'records per page' --cursor 'start at this cursor' --allow-partial 'exit 0 on partial results of the provider' --restart 'with --out: start over instead of resuming' --dedupe 'with --out: leave out repeated records' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --ordered 'print several connections one after the other' --out 'write the result to a file, a download also to a folder' --force 'overwrite the file; print binary on a terminal' --expect 'fail with 14 unless this jq program is true for the result, read whole' --junit 'also write the result as JUnit XML, over an older file' --until 'repeat the read until this jq program is true' --fail-if 'with --until: give up once this jq program is true' --every 'seconds from one read to the next (5)' --wait-timeout 'maximum seconds to wait (600)' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --timeout 'seconds for a request with its retries (120)' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection, 0: no limit (45)' --token-rate 'requests per 10 s and token, 0: no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case '* * get'
            printf '%s\t%s\n' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --account-id 'the connection\'s id, instead of the profile\'s' -a 'the connection\'s id, instead of the profile\'s' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --format 'the format of the input, if it is not detected' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --ordered 'print several connections one after the other' --out 'write the result to a file, a download also to a folder' --force 'overwrite the file; print binary on a terminal' --expect 'fail with 14 unless this jq program is true for the result, read whole' --junit 'also write the result as JUnit XML, over an older file' --until 'repeat the read until this jq program is true' --fail-if 'with --until: give up once this jq program is true' --every 'seconds from one read to the next (5)' --wait-timeout 'maximum seconds to wait (600)' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --timeout 'seconds for a request with its retries (120)' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection, 0: no limit (45)' --token-rate 'requests per 10 s and token, 0: no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case '* * update'
            printf '%s\t%s\n' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --account-id 'the connection\'s id, instead of the profile\'s' -a 'the connection\'s id, instead of the profile\'s' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --format 'the format of the input, if it is not detected' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --data 'the request body; - is standard input' -d 'the request body; - is standard input' --raw-field 'set a field to a string; a[b]=1 nests' -f 'set a field to a string; a[b]=1 nests' --field 'set a field to a JSON value, else a string; @base64:FILE for bytes' -F 'set a field to a JSON value, else a string; @base64:FILE for bytes' --skeleton 'print a body to fill in and send nothing' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --out 'write the result to a file, a download also to a folder' --force 'overwrite the file; print binary on a terminal' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --yes 'delete, or write to several connections, without asking; required off a terminal' -y 'delete, or write to several connections, without asking; required off a terminal' --idempotency-key 'reuse the key of an earlier attempt of this write' --timeout 'seconds for a request with its retries (120)' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection, 0: no limit (45)' --token-rate 'requests per 10 s and token, 0: no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case '* * delete'
            printf '%s\t%s\n' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --account-id 'the connection\'s id, instead of the profile\'s' -a 'the connection\'s id, instead of the profile\'s' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --format 'the format of the input, if it is not detected' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --data 'the request body; - is standard input' -d 'the request body; - is standard input' --raw-field 'set a field to a string; a[b]=1 nests' -f 'set a field to a string; a[b]=1 nests' --field 'set a field to a JSON value, else a string; @base64:FILE for bytes' -F 'set a field to a JSON value, else a string; @base64:FILE for bytes' --skeleton 'print a body to fill in and send nothing' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --out 'write the result to a file, a download also to a folder' --force 'overwrite the file; print binary on a terminal' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --yes 'delete, or write to several connections, without asking; required off a terminal' -y 'delete, or write to several connections, without asking; required off a terminal' --timeout 'seconds for a request with its retries (120)' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection, 0: no limit (45)' --token-rate 'requests per 10 s and token, 0: no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case '* * download'
            printf '%s\t%s\n' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --account-id 'the connection\'s id, instead of the profile\'s' -a 'the connection\'s id, instead of the profile\'s' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --format 'the format of the input, if it is not detected' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --data 'the request body; - is standard input' -d 'the request body; - is standard input' --raw-field 'set a field to a string; a[b]=1 nests' -f 'set a field to a string; a[b]=1 nests' --field 'set a field to a JSON value, else a string; @base64:FILE for bytes' -F 'set a field to a JSON value, else a string; @base64:FILE for bytes' --skeleton 'print a body to fill in and send nothing' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --out 'write the result to a file, a download also to a folder' --from 'with --out DIR: download the file of each id or record in FILE' --force 'overwrite the file; print binary on a terminal' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --idempotency-key 'reuse the key of an earlier attempt of this write' --timeout 'seconds for a request with its retries (120)' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection, 0: no limit (45)' --token-rate 'requests per 10 s and token, 0: no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case '* * export'
            printf '%s\t%s\n' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --account-id 'the connection\'s id, instead of the profile\'s' -a 'the connection\'s id, instead of the profile\'s' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --data 'the request body; - is standard input' -d 'the request body; - is standard input' --raw-field 'set a field to a string; a[b]=1 nests' -f 'set a field to a string; a[b]=1 nests' --field 'set a field to a JSON value, else a string; @base64:FILE for bytes' -F 'set a field to a JSON value, else a string; @base64:FILE for bytes' --skeleton 'print a body to fill in and send nothing' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --out 'write the result to a file, a download also to a folder' --force 'overwrite the file; print binary on a terminal' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --idempotency-key 'reuse the key of an earlier attempt of this write' --timeout 'seconds for a request with its retries (120)' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection, 0: no limit (45)' --token-rate 'requests per 10 s and token, 0: no limit (ten times --rate)' --workers 'concurrent requests, up to 64 (8)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
        case '* * *'
            printf '%s\t%s\n' --profile 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' -p 'profile to use; a glob or tag:NAME: several; \'!NAME\': not' --account-id 'the connection\'s id, instead of the profile\'s' -a 'the connection\'s id, instead of the profile\'s' --base-url 'the service\'s base URL' --token-file 'read the token from a file' --token-stdin 'read the token from standard input' --query 'a query parameter; brackets are sent as typed' -q 'a query parameter; brackets are sent as typed' --data 'the request body; - is standard input' -d 'the request body; - is standard input' --raw-field 'set a field to a string; a[b]=1 nests' -f 'set a field to a string; a[b]=1 nests' --field 'set a field to a JSON value, else a string; @base64:FILE for bytes' -F 'set a field to a JSON value, else a string; @base64:FILE for bytes' --skeleton 'print a body to fill in and send nothing' --output 'the output format' -o 'the output format' --columns 'only these fields, such as id,status.name,tags[0].name' --jq 'apply this jq program to the result, or to each line' --csv-safe 'escape cells that a spreadsheet would run as formulas' --bom 'begin CSV with a byte-order mark, which Excel needs' --out 'write the result to a file, a download also to a folder' --force 'overwrite the file; print binary on a terminal' --dry-run 'print the request as JSON and send nothing' --as 'print the request as a curl command and send nothing' --idempotency-key 'reuse the key of an earlier attempt of this write' --timeout 'seconds for a request with its retries (120)' --retries 'retries after the first attempt (4)' --rate 'requests per 10 s and connection, 0: no limit (45)' --token-rate 'requests per 10 s and token, 0: no limit (ten times --rate)' --ca-bundle 'also trust these certificate authorities' --verbose 'print each request; -vv with headers and bodies' -v 'print each request; -vv with headers and bodies' --quiet 'print errors only' --no-input 'never prompt, fail instead' --color 'colour the output (auto)' --pretty 'indent JSON, also off a terminal' --json-errors 'print an error as JSON, as -o json does off a terminal'
    end
end

# What the value of an option is.
function __unified_value --argument-names option
    switch "$option"
        case '-p'
            echo 'profile'
        case '--profile'
            echo 'profile'
        case '--token-file'
            echo 'file'
        case '-o'
            echo 'json ndjson table csv tsv yaml ids raw'
        case '--output'
            echo 'json ndjson table csv tsv yaml ids raw'
        case '--dedupe'
            echo 'id'
        case '--out'
            echo 'file'
        case '--junit'
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
        case '-F'
            echo '@file'
        case '--field'
            echo '@file'
        case '--format'
            echo 'ndjson json csv ids'
        case '--from'
            echo 'file'
        case '--to'
            echo 'folder'
        case '--verify'
            echo 'folder'
        case '--report'
            echo 'file'
        case '--shell'
            echo 'bash zsh fish pwsh'
        case '--ready-file'
            echo 'file'
        case '--state'
            echo 'file'
        case '--faults'
            echo 'file'
        case '--store'
            echo 'keyring file config'
    end
end

# What the argument after the command words is; $argument counts the arguments before it.
function __unified_argument --argument-names at argument
    switch "$at:$argument"
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
        case 'diff:*'
            echo 'api/resource'
        case 'help:0'
            echo 'exit-codes output query filters config environment options operations profiles agents speed sandbox ticketing user-directory ats knowledge-base ci-cd emails calendar conferencing usage-metering voice request export import diff operations help completion sandbox doctor connections profile'
        case 'help:*'
            echo ''
        case 'doctor:*'
            echo 'profile'
        case 'profile list:*'
            echo 'profile'
        case 'profile show:*'
            echo 'profile'
        case 'profile set:0'
            echo 'profile'
        case 'profile set:*'
            echo 'base_url= account_id= token_file= token_command= keyring= output= timeout= retries= rate= token_rate= ca_bundle= page_size= no_input= quiet= read_only= idempotency_window= tags='
        case 'profile use:*'
            echo 'profile'
        case 'profile login:0'
            echo 'profile'
        case 'profile login:*'
            echo ''
        case 'profile logout:*'
            echo 'profile'
        case 'profile import:*'
            echo 'file'
        case 'profile test:*'
            echo 'profile'
        case 'profile remove:*'
            echo 'profile'
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

# What the user's own catalogue files add after the command words.
function __unified_added --argument-names folder at
    set -l words (string split ' ' -- "$at")
    for file in $folder/catalogue.d/*.toml
        test -f $file -a -r $file; or continue
        set -l section ''
        while read -l line
            if string match -qr '^\[api\.(?<api>[a-z_-]+)\.resources\]' -- "$line"
                set section $api
                test -z "$at"; and echo $section
            else if string match -q '[*' -- "$line"
                set section ''
            else if test -n "$at" -a "$section" = "$words[1]"
                if string match -qr '^(?<name>[a-z_-]+)\s*=\s*(?:\{.*operations\s*=\s*)?"(?<operations>[a-z_ -]*)"' -- "$line"
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

# Values of a kind, each after what stands before them in the same word.
function __unified_offer --argument-names kind before current
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
        case api/resource
            if set -l parts (string match -r '^([^/]*)/' -- "$current")
                __unified_words $parts[2] | string replace -r '^' -- "$before$parts[1]"
            else
                printf "$before%s/\n" ticketing user-directory ats knowledge-base ci-cd emails calendar conferencing usage-metering voice
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
    set -l known (__unified_words '')
    set -e typed[1]
    for word in $typed
        if test -n "$skip"
            set skip ''
            continue
        end
        switch $word
            case '--*=*'
            case -p --profile -a --account-id --base-url --token-file -o --output -q --query --limit --page-size --cursor --dedupe --columns --jq --out --expect --junit --until --fail-if --every --wait-timeout --as --timeout --retries --rate --token-rate --workers --ca-bundle --color -d --data -f --raw-field -F --field --idempotency-key --format --from --to --shard --verify --task --lag --operation --map --report --key --ignore --set --shell --port --host --allow-host --ready-file --seed --state --faults --records --with --where --prefix --tag --token-command --store
                set skip $word
            case '-*'
            case '*'
                if test "$at$helped" = '' -a "$word" = help
                    # The words after help are those of the command itself.
                    set helped help
                else if set -q known[1]
                    set at (string trim -- "$at $word")
                    set known (__unified_words "$at")
                    test -n "$helped"; and set argument (math $argument + 1)
                else
                    set argument (math $argument + 1)
                end
        end
    end
    if test -n "$skip"
        __unified_offer "$(__unified_value $skip)" '' "$current"
    else if string match -q -- '--*=*' $current
        set -l parts (string split -m 1 = -- $current)
        __unified_offer "$(__unified_value $parts[1])" "$parts[1]=" "$parts[2]"
    else if string match -q -- '-*' $current
        test -n "$helped"; and set at help
        __unified_flags "$at"
    else if set -q known[1]; and test -z "$helped" -o -n "$at"
        printf '%s\n' $known
    else
        test -n "$helped"; and set at help
        __unified_offer "$(__unified_argument "$at" $argument)" '' "$current"
    end
end

complete -c unified -f -k -a '(__unified_complete)'
