# PowerShell completion for unified. Static: a TAB starts no program, evaluates nothing it reads, and uses no
# network. Generated from the catalogue and the options; do not edit.

$UnifiedWords = @{
    '' = @('ticketing:Help desks, issue trackers and CRM cases', 'user-directory:People, groups, roles and licences of an application', 'ats:Applicant tracking: jobs, candidates, interviews, offers', 'knowledge-base:Wikis, help centres and document spaces', 'ci-cd:Repositories, pull requests, builds and artifacts', 'emails:Mailboxes: messages, drafts, folders', 'calendar:Calendars, events and free time', 'conferencing:Video meetings, their attendees and transcripts', 'usage-metering:Usage of products, by whom and at what cost', 'voice:Phone calls and their recordings', 'request:Call any path below the base URL', 'export:Write many lists of many connections to files', 'import:Send every record of a file once', 'diff:Compare two lists of records', 'plan:Print the calls that make one list of records like another', 'apply:Make the calls of plans, each once', 'runs:List work of many writes, and continue it', 'schema:Show which fields the records of a list really have', 'mcp:Offer the operations to coding agents', 'operations:Search the operations', 'help:Show help on exit codes, output, profiles and more', 'completion:Complete commands with TAB', 'sandbox:Manage the local sandbox of the service', 'doctor:Find problems on this machine and on the way to the service', 'capabilities:Show what each connection offers', 'connections:List the connections that a token can see, and add profiles', 'profile:Manage named connections and their tokens')
    'ticketing' = @('accounts:Companies you serve; each has contacts', 'attachments:Files on tickets and comments', 'collections:Projects, lists, epics: groups of tickets or contacts', 'comments:Messages on a ticket, public or internal', 'contacts:Customers and leads outside the company', 'tags:Labels for tickets', 'teams:Groups of agents', 'tickets:Requests, issues, cases: the work itself', 'ticket_types:Kinds of tickets, such as bug or incident', 'fields:Definitions of built-in and custom fields', 'ticket_status:Steps a ticket goes through until it is solved', 'ticket_priorities:Levels of urgency of a ticket', 'users:Agents, members and admins of the product', 'workspaces:Top-level containers of the product', 'task_lists:Checklists on a ticket', 'tasks:Items of a checklist, or sub-activities', 'organizations:Organizations the product knows')
    'ticketing accounts' = @('list:List accounts', 'create:Create an account', 'get:Get an account by its id', 'update:Update an account', 'delete:Delete an account')
    'ticketing attachments' = @('list:List attachments', 'create:Create an attachment', 'get:Get an attachment by its id', 'update:Update an attachment', 'download:Download the file of an attachment')
    'ticketing collections' = @('list:List collections', 'create:Create a collection', 'get:Get a collection by its id', 'update:Update a collection', 'delete:Delete a collection')
    'ticketing comments' = @('list:List comments', 'create:Create a comment', 'get:Get a comment by its id', 'update:Update a comment', 'delete:Delete a comment')
    'ticketing contacts' = @('list:List contacts', 'create:Create a contact', 'get:Get a contact by its id', 'update:Update a contact', 'delete:Delete a contact')
    'ticketing tags' = @('list:List tags', 'create:Create a tag', 'get:Get a tag by its id', 'update:Update a tag', 'delete:Delete a tag')
    'ticketing teams' = @('list:List teams', 'create:Create a team', 'get:Get a team by its id', 'update:Update a team', 'delete:Delete a team')
    'ticketing tickets' = @('list:List tickets', 'create:Create a ticket', 'get:Get a ticket by its id', 'update:Update a ticket', 'delete:Delete a ticket', 'import:Import a ticket with its history')
    'ticketing ticket_types' = @('list:List ticket types')
    'ticketing fields' = @('list:List fields', 'create:Create a field', 'get:Get a field by its id', 'update:Update a field', 'delete:Delete a field')
    'ticketing ticket_status' = @('list:List ticket statuses')
    'ticketing ticket_priorities' = @('list:List ticket priorities')
    'ticketing users' = @('list:List users', 'create:Create a user', 'get:Get a user by its id', 'update:Update a user', 'delete:Delete a user')
    'ticketing workspaces' = @('list:List workspaces', 'create:Create a workspace', 'get:Get a workspace by its id', 'update:Update a workspace', 'delete:Delete a workspace')
    'ticketing task_lists' = @('list:List task lists', 'create:Create a task list', 'get:Get a task list by its id')
    'ticketing tasks' = @('list:List tasks', 'create:Create a task', 'get:Get a task by its id', 'update:Update a task', 'delete:Delete a task')
    'ticketing organizations' = @('list:List organizations', 'get:Get an organization by its id')
    'user-directory' = @('roles:Roles that users can have', 'users:People with access to the application', 'organizations:The top level that users belong to', 'groups:Sets of users, often called teams', 'activities:What users did in the application', 'billing:Bills for the application', 'utilization:Usage reports, as tables', 'licenses:Seats and subscriptions', 'workspaces:Workspaces or projects of the application', 'me:The user whose credentials the connection holds', 'role_assignments:Who holds which role')
    'user-directory roles' = @('list:List roles', 'create:Create a role', 'get:Get a role by its id', 'update:Update a role', 'delete:Delete a role')
    'user-directory users' = @('list:List users', 'create:Create a user', 'get:Get a user by its id', 'update:Update a user', 'delete:Delete a user', 'downgrade:Downgrade a user''s licence or role', 'deactivate:Deactivate a user''s account', 'assign-role:Assign a role to a user', 'unassign-role:Remove a role from a user', 'assign_role:Assign a role to a user (the service''s other spelling)', 'unassign_role:Remove a role from a user (the service''s other spelling)', 'suspend:Suspend a user''s access temporarily')
    'user-directory organizations' = @('list:List organizations', 'get:Get an organization by its id', 'update:Update an organization', 'delete:Delete an organization')
    'user-directory groups' = @('list:List groups', 'create:Create a group', 'get:Get a group by its id', 'update:Update a group', 'delete:Delete a group', 'remove-user:Remove a user from a group', 'add-user:Add a user to a group', 'add:Add a user to a group (deprecated: use add-user)', 'remove:Remove a user from a group (deprecated: use remove-user)')
    'user-directory activities' = @('list:List activities', 'get:Get an activity by its id')
    'user-directory billing' = @('list:List bills')
    'user-directory utilization' = @('list:List usage reports')
    'user-directory licenses' = @('list:List licenses', 'get:Get a licence by its id')
    'user-directory workspaces' = @('list:List workspaces', 'get:Get a workspace by its id')
    'user-directory me' = @('list:Show the user whose credentials the connection holds')
    'user-directory role_assignments' = @('list:List role assignments', 'get:Get a role assignment by its id', 'delete:Delete a role assignment')
    'ats' = @('activities:Notes, emails and events about a candidate', 'applications:Applications of candidates for jobs', 'attachments:Resumes, cover letters and other files', 'candidates:People considered for jobs', 'departments:Departments that hire', 'eeocs:Answers to equal-opportunity questions', 'interviews:Interviews on the calendar', 'job_interview_stages:Stages of a job''s interview process', 'jobs:Positions, open and closed', 'job_form_fields:Questions on a job''s application form', 'offers:Offers made to candidates', 'offices:Locations that hire', 'organizations:Organizations that hire', 'reject_reasons:Reasons to reject an application', 'scorecards:Interviewers'' feedback on candidates', 'tags:Labels for candidates', 'users:Recruiters, hiring managers and interviewers')
    'ats activities' = @('list:List activities', 'create:Create an activity')
    'ats applications' = @('list:List applications', 'get:Get an application by its id', 'move-stage:Move an application to another stage', 'reject:Reject an application')
    'ats attachments' = @('list:List attachments', 'create:Create an attachment', 'download:Download a candidate''s file')
    'ats candidates' = @('list:List candidates', 'create:Create a candidate', 'get:Get a candidate by its id')
    'ats departments' = @('list:List departments', 'get:Get a department by its id')
    'ats eeocs' = @('list:List EEOC answers', 'get:Get an EEOC answer by its id')
    'ats interviews' = @('list:List interviews', 'get:Get an interview by its id')
    'ats job_interview_stages' = @('list:List job interview stages', 'get:Get an interview stage by its id')
    'ats jobs' = @('list:List jobs', 'get:Get a job by its id')
    'ats job_form_fields' = @('list:List job form fields')
    'ats offers' = @('list:List offers')
    'ats offices' = @('list:List offices', 'get:Get an office by its id')
    'ats organizations' = @('list:List organizations', 'get:Get an organization by its id')
    'ats reject_reasons' = @('list:List the reasons to reject an application')
    'ats scorecards' = @('list:List scorecards')
    'ats tags' = @('list:List tags')
    'ats users' = @('list:List users', 'get:Get a user by its id')
    'knowledge-base' = @('pages:Articles and documents', 'page-content:The blocks that make up a page', 'collections:Folders and sections of a space', 'comments:Comments on a page', 'spaces:Top-level areas for pages', 'tags:Labels within a space', 'page-exports:Exports of a page, made in the background', 'files:Files that belong to a page', 'permissions:Access rights of users and groups', 'users:Readers, writers and admins')
    'knowledge-base pages' = @('list:List pages', 'create:Create a page', 'get:Get a page by its id', 'update:Update a page')
    'knowledge-base page-content' = @('list:List the blocks of a page''s content', 'get:Get a block of a page''s content by its id', 'append:Add content at the end of a page', 'export:Export a page''s content as a whole')
    'knowledge-base collections' = @('list:List collections', 'get:Get a collection by its id')
    'knowledge-base comments' = @('list:List comments', 'get:Get a comment by its id')
    'knowledge-base spaces' = @('list:List spaces', 'get:Get a space by its id')
    'knowledge-base tags' = @('list:List tags')
    'knowledge-base page-exports' = @('create:Create a page export', 'get:Get a page export by its id', 'download:Download a finished export')
    'knowledge-base files' = @('list:List files', 'download:Download a page''s file')
    'knowledge-base permissions' = @('list:List permissions')
    'knowledge-base users' = @('list:List users', 'get:Get a user by its id')
    'ci-cd' = @('repos:Source code repositories', 'branches:Branches of a repository', 'pull-requests:Changes proposed for a repository', 'builds:Runs of a pipeline', 'jobs:Parts of a build', 'artifacts:Files produced by a build', 'caches:Caches kept between builds', 'workflow:Definitions of pipelines', 'workspaces:Workspaces of the product', 'organizations:Organizations that own repositories', 'branch-protection-rules:Rules that protect a branch')
    'ci-cd repos' = @('list:List repos', 'get:Get a repository by its id')
    'ci-cd branches' = @('list:List branches', 'get:Get a branch by its id')
    'ci-cd pull-requests' = @('list:List pull requests', 'get:Get a pull request by its id')
    'ci-cd builds' = @('list:List builds', 'get:Get a build by its id')
    'ci-cd jobs' = @('list:List jobs', 'get:Get a job by its id')
    'ci-cd artifacts' = @('list:List artifacts', 'get:Get an artifact by its id')
    'ci-cd caches' = @('list:List caches')
    'ci-cd workflow' = @('list:List workflows', 'get:Get a workflow by its id')
    'ci-cd workspaces' = @('list:List workspaces', 'get:Get a workspace by its id')
    'ci-cd organizations' = @('list:List organizations')
    'ci-cd branch-protection-rules' = @('list:List branch protection rules')
    'emails' = @('emails:Messages and drafts', 'folders:Folders and labels of a mailbox', 'users:People with a mailbox', 'attachments:Files sent with a message')
    'emails emails' = @('list:List emails', 'create:Create an email', 'get:Get an email by its id', 'update:Update an email', 'delete:Delete an email', 'send:Send a new message', 'send-draft:Send a draft that exists already', 'reply:Reply to the sender of a message', 'reply-all:Reply to everyone on a message', 'forward:Forward a message to other people', 'move:Move a message to another folder')
    'emails folders' = @('list:List folders', 'create:Create a folder', 'get:Get a folder by its id', 'update:Update a folder', 'delete:Delete a folder')
    'emails users' = @('list:List users', 'get:Get a user by its id')
    'emails attachments' = @('list:List attachments', 'get:Get an attachment by its id', 'download:Download a message''s file')
    'calendar' = @('attachments:Files on an event', 'calendars:Calendars the connection can see', 'events:Meetings and other entries', 'availability:When somebody is free or busy', 'event_types:Kinds of meetings that can be booked', 'contacts:People in the address book', 'users:People with a calendar')
    'calendar attachments' = @('list:List attachments')
    'calendar calendars' = @('list:List calendars', 'get:Get a calendar by its id')
    'calendar events' = @('list:List events', 'create:Create an event', 'get:Get an event by its id', 'update:Update an event', 'delete:Delete an event')
    'calendar availability' = @('list:List free and busy times')
    'calendar event_types' = @('list:List event types', 'get:Get an event type by its id')
    'calendar contacts' = @('list:List contacts')
    'calendar users' = @('list:List users')
    'conferencing' = @('transcripts:Written records of a meeting', 'attendees:Participants of a meeting', 'transcript_entries:Single statements in a transcript', 'meetings:Video meetings, planned and past')
    'conferencing transcripts' = @('list:List transcripts', 'get:Get a transcript by its id')
    'conferencing attendees' = @('list:List attendees', 'get:Get an attendee by its id')
    'conferencing transcript_entries' = @('list:List transcript entries', 'get:Get a transcript entry by its id')
    'conferencing meetings' = @('list:List meetings', 'get:Get a meeting by its id')
    'usage-metering' = @('products:Products with metered usage', 'usage:Quantities used, and their cost', 'organizations:Organizations that are billed', 'workspaces:Workspaces of an organization', 'users:People who use the products')
    'usage-metering products' = @('list:List products')
    'usage-metering usage' = @('list:List measured usage and its cost')
    'usage-metering organizations' = @('list:List organizations', 'get:Get an organization by its id')
    'usage-metering workspaces' = @('list:List workspaces', 'get:Get a workspace by its id')
    'usage-metering users' = @('list:List users')
    'voice' = @('calls:Calls made and received', 'recordings:Recordings of calls')
    'voice calls' = @('list:List calls')
    'voice recordings' = @('list:List recordings', 'download:Download the audio of a call')
    'runs' = @('list:List the runs, the newest first', 'show:Show what became of each call of a run', 'resume:Do what a run has not tried, and what is in doubt where that is safe', 'retry:Repeat the calls of a run that failed, each with its key', 'remove:Remove the journals of runs')
    'mcp' = @('serve:Serve the operations to an agent as tools, over standard input and output', 'config:Print the configuration that makes an agent start the server')
    'completion' = @('bash:Print the script for bash', 'zsh:Print the script for zsh', 'fish:Print the script for fish', 'pwsh:Print the script for pwsh', 'install:Install the script where the shell looks for it')
    'sandbox' = @('serve:Serve the sandbox on a local port, for any client', 'reset:Reset all records to their initial state', 'seed:Start over with other records; the same word generates the same records', 'status:Show where the records are stored, and the connections')
    'connections' = @('list:List the connections that the token can see', 'add:Add a profile for each connection')
    'profile' = @('list:List the profiles', 'show:Show the settings of a profile, and where each comes from', 'path:Print the path of the config file', 'add:Add a profile', 'set:Change profiles, or what holds for all', 'use:Choose the profile that is used when none is named', 'login:Store a profile''s token safely', 'logout:Remove a profile''s token', 'import:Add many profiles at once, from a CSV file', 'test:Test each connection with one request', 'remove:Remove a profile')
}
$UnifiedFlags = @(
    @('', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--output:the output format', '-o:the output format', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('request', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--data:the request body; - is standard input', '-d:the request body; - is standard input', '--raw-field:set a field to a string; a[b]=1 nests', '-f:set a field to a string; a[b]=1 nests', '--field:set a field to a JSON value, else a string; @base64:FILE for bytes', '-F:set a field to a JSON value, else a string; @base64:FILE for bytes', '--upload:send a file as a form, with -f for its other fields; NAME is file', '--content-type:send the file of -d @FILE as it is, as this type', '--all:read all pages, not one', '--limit:read at most N records of each connection', '--page-size:records per page', '--cursor:start at this cursor', '--allow-partial:exit 0 on partial results of the provider', '--restart:with --out: start over instead of resuming', '--dedupe:with --out: leave out repeated records', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--out:write the result to a file, a download also to a folder', '--force:overwrite the file; print binary on a terminal', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--as:print the request as a curl command and send nothing', '--yes:delete, or write to several connections, without asking; required off a terminal', '-y:delete, or write to several connections, without asking; required off a terminal', '--fail-fast:stop at the first connection that fails', '--max-failures:stop when more than N connections, or P % of them, failed', '--stages:do so many connections first, such as 1,5,20%; the next if all are done', '--idempotency-key:reuse the key of an earlier attempt of this write', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('export', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--to:the folder or URL to write to; run again to resume', '--shard:write only part K of N of the files', '--verify:check a folder or URL against its manifest', '--tasks:print a task for each connection, as NDJSON, and export nothing', '--task:do one of these tasks; - is standard input', '--engine:have the workers of a Dask cluster do it', '--dry-run:print the lists and where each would go; send and write nothing', '--wait-timeout:with --engine: seconds to wait for a worker where none is left (600)', '--incremental:add what changed since the last run: as one more file a list, or merged', '--lag:with --incremental: seconds to look back, for late changes (60)', '--restart:start over: read everything and replace the files', '--dedupe:leave out repeated records', '--format:the format of the files', '--output:the format of the files', '-o:the format of the files', '--columns:add these fields as text columns to Parquet, Delta, CSV and TSV, such as status.name', '--since:only what changed since then: a time (ISO 8601, UTC), or 7d, 12h ago', '--page-size:records per page', '--allow-partial:exit 0 on partial results of the provider', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('import', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--operation:the operation for each record (create)', '--map:a jq program that reshapes each record', '--report:write the outcome of each line to a file', '--fail-fast:stop at the first record that fails', '--restart:discard the journal and send everything again', '--retry-in-doubt:send records in doubt again', '--format:the format of the input, if it is not detected', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--output:the output format', '-o:the output format', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--yes:delete, or write to several connections, without asking; required off a terminal', '-y:delete, or write to several connections, without asking; required off a terminal', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('diff', @('--from:a profile, a folder of an export, or an NDJSON file', '--to:what it is compared with', '--key:join records by this value (id); .a.b is a jq program', '--map:a jq program that reshapes each record of --from', '--ignore:leave these values out', '--set:an array whose order does not matter', '--all-fields:also compare created_at updated_at etag remote_data; a plan sends all fields', '--ids:new ids of the records of --from, as apply wrote them', '--output:the output format', '-o:the output format', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('plan', @('--from:a profile, a folder of an export, or an NDJSON file', '--to:what it is compared with', '--key:join records by this value (id); .a.b is a jq program', '--map:a jq program that reshapes each record of --from', '--ignore:leave these values out', '--set:an array whose order does not matter', '--all-fields:also compare created_at updated_at etag remote_data; a plan sends all fields', '--ids:new ids of the records of --from, as apply wrote them', '--delete:also delete what is only in --to', '--same-ids:join by id two sides that may be of different connections', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('apply', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--only:only calls of this kind', '--ids:new ids of the records of --from, as apply wrote them', '--output:the output format', '-o:the output format', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--overwrite-changed:also change what has changed since the plan was made', '--max-deletes:delete at most N records (half of those there)', '--dry-run:print the request as JSON and send nothing', '--yes:delete, or write to several connections, without asking; required off a terminal', '-y:delete, or write to several connections, without asking; required off a terminal', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('runs list', @('--output:the output format', '-o:the output format', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('runs show', @('--output:the output format', '-o:the output format', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('runs resume', @('--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--fail-fast:stop at the first connection that fails', '--max-failures:stop when more than N connections, or P % of them, failed', '--stages:do so many connections first, such as 1,5,20%; the next if all are done', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('runs retry', @('--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--fail-fast:stop at the first connection that fails', '--max-failures:stop when more than N connections, or P % of them, failed', '--stages:do so many connections first, such as 1,5,20%; the next if all are done', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('runs remove', @('--yes:delete, or write to several connections, without asking; required off a terminal', '-y:delete, or write to several connections, without asking; required off a terminal', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('schema', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--records:look at N records of each connection (1000)', '--page-size:records per page', '--output:the output format', '-o:the output format', '--against:compare with a JSON Schema, a connection, or the known fields', '--strict:with --against: fail with 14 for every difference', '--junit:also write the result as JUnit XML, over an older file', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('mcp serve', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--allow-writes:offer a tool that writes; needs -p, and one connection a call', '--allow-deletes:let that tool delete too', '--requests-per-minute:requests to the service in a minute, 0: no limit (300)', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('mcp config', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--client:the client to configure (claude-code)', '--allow-writes:offer a tool that writes; needs -p, and one connection a call', '--allow-deletes:let that tool delete too')),
    @('operations', @('--output:the output format', '-o:the output format', '--source:show the file that defines each operation', '--openapi:print the catalogue as an OpenAPI 3.1 document')),
    @('help', @('--skill:with agents: print a skill file for coding agents')),
    @('completion install', @('--shell:for this shell, not that of $SHELL')),
    @('sandbox serve', @('--token-file:read the token from a file', '--port:the local port; 0 picks a free one', '--host:listen on this address; unsafe off the loopback interface', '--allow-host:also answer requests to this exact name; unsafe', '--ready-file:how to reach it, written once it listens', '--seed:the seed of the generated records: a word or a number', '--state:where changes are stored', '--faults:simulate faults: 429=5%,slow=200ms … (unified help sandbox)', '--records:the number of records of a resource', '--keep-ids:a record that is created keeps the id of its body', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies')),
    @('sandbox status', @('--output:the output format', '-o:the output format')),
    @('doctor', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--with:read this list instead of asking for the connection''s state', '--output:the output format', '-o:the output format', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--bundle:also write a ZIP file for a report, without secrets', '--har:with --bundle: add this recording', '--network:call the service too; without it nothing is sent', '--timeout:seconds for a request with its retries (120)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('capabilities', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--probe:also read one record of each list that is not refused', '--product:what a product offers that need not be connected yet', '--output:the output format', '-o:the output format', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('connections list', @('--where:only those for which this jq program says true: .product == "x"', '--health:also ask, for each, whether it is blocked, and say what is wrong with it', '--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--page-size:records per page', '--output:the output format', '-o:the output format', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('connections add', @('--where:only those for which this jq program says true: .product == "x"', '--prefix:begin each profile''s name with this', '--tag:give each profile this tag', '--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--page-size:records per page', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:show the profiles and add none', '--yes:add without asking; required off a terminal', '-y:add without asking; required off a terminal', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('profile list', @('--output:the output format', '-o:the output format', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('profile show', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--explain:also show the values that were overridden', '--output:the output format', '-o:the output format', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('profile path', @('--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('profile add', @('--account-id:the connection: one customer''s account in some product; me: that of its own token', '-a:the connection: one customer''s account in some product; me: that of its own token', '--base-url:the service''s base URL, like https://api.example.com', '--token-file:a file whose only line is the token', '--ca-bundle:a file of additional certificate authorities to trust', '--timeout:seconds for one request with all its retries', '--retries:retries after the first attempt', '--rate:requests per 10 seconds and connection, 0 for no limit', '--token-command:the program that prints the token', '--keyring:the token is in this machine''s keyring', '--tag:add a tag, for -p tag:NAME', '--read-only:refuse every write', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('profile set', @('--default:the values for all profiles without their own', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('profile use', @('--none:use no default profile', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('profile login', @('--store:where to store it', '--shared:the token of all profiles without their own', '--token-stdin:read the token from standard input', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('profile logout', @('--shared:the token of all profiles without their own', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('profile import', @('--update:change profiles that exist instead of refusing them', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('profile test', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--with:read this list instead of asking for the connection''s state', '--output:the output format', '-o:the output format', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('profile remove', @('--yes:do not ask before removing', '-y:do not ask before removing', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('knowledge-base page-exports create', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--describe:print what the connection says that this takes, and do nothing else', '--data:the request body; - is standard input', '-d:the request body; - is standard input', '--raw-field:set a field to a string; a[b]=1 nests', '-f:set a field to a string; a[b]=1 nests', '--field:set a field to a JSON value, else a string; @base64:FILE for bytes', '-F:set a field to a JSON value, else a string; @base64:FILE for bytes', '--upload:send a file as a form, with -f for its other fields; NAME is file', '--content-type:send the file of -d @FILE as it is, as this type', '--skeleton:print a body to fill in and send nothing', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--out:write the result to a file, a download also to a folder', '--force:overwrite the file; print binary on a terminal', '--wait-timeout:maximum seconds to wait (600)', '--wait:wait until the job is done; with --out, download its file', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--as:print the request as a curl command and send nothing', '--yes:delete, or write to several connections, without asking; required off a terminal', '-y:delete, or write to several connections, without asking; required off a terminal', '--fail-fast:stop at the first connection that fails', '--max-failures:stop when more than N connections, or P % of them, failed', '--stages:do so many connections first, such as 1,5,20%; the next if all are done', '--strict:send nothing where a query parameter is missing, or unknown to the list', '--idempotency-key:reuse the key of an earlier attempt of this write', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('knowledge-base page-exports get', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--format:the format of the input, if it is not detected', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--describe:print what the connection says that this takes, and do nothing else', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--ordered:print several connections one after the other', '--out:write the result to a file, a download also to a folder', '--force:overwrite the file; print binary on a terminal', '--expect:fail with 14 unless this jq program is true for the result, read whole', '--junit:also write the result as JUnit XML, over an older file', '--until:repeat the read until this jq program is true', '--fail-if:with --until: give up once this jq program is true', '--every:seconds from one read to the next (5, --follow: 30)', '--wait-timeout:maximum seconds to wait (600)', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--as:print the request as a curl command and send nothing', '--strict:send nothing where a query parameter is missing, or unknown to the list', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('voice recordings download', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--format:the format of the input, if it is not detected', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--describe:print what the connection says that this takes, and do nothing else', '--data:the request body; - is standard input', '-d:the request body; - is standard input', '--raw-field:set a field to a string; a[b]=1 nests', '-f:set a field to a string; a[b]=1 nests', '--field:set a field to a JSON value, else a string; @base64:FILE for bytes', '-F:set a field to a JSON value, else a string; @base64:FILE for bytes', '--skeleton:print a body to fill in and send nothing', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--out:write the result to a file, a download also to a folder', '--from:with --out DIR: download the file of each id or record in FILE', '--force:overwrite the file; print binary on a terminal', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--as:print the request as a curl command and send nothing', '--fail-fast:stop at the first connection that fails', '--max-failures:stop when more than N connections, or P % of them, failed', '--stages:do so many connections first, such as 1,5,20%; the next if all are done', '--idempotency-key:reuse the key of an earlier attempt of this write', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('* * list', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--describe:print what the connection says that this takes, and do nothing else', '--all:read all pages, not one', '--limit:read at most N records of each connection', '--page-size:records per page', '--since:only what changed since then: a time (ISO 8601, UTC), or 7d, 12h ago', '--cursor:start at this cursor', '--allow-partial:exit 0 on partial results of the provider', '--restart:with --out: start over instead of resuming', '--dedupe:with --out: leave out repeated records', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--ordered:print several connections one after the other', '--out:write the result to a file, a download also to a folder', '--force:overwrite the file; print binary on a terminal', '--expect:fail with 14 unless this jq program is true for the result, read whole', '--junit:also write the result as JUnit XML, over an older file', '--until:repeat the read until this jq program is true', '--fail-if:with --until: give up once this jq program is true', '--every:seconds from one read to the next (5, --follow: 30)', '--wait-timeout:maximum seconds to wait (600)', '--follow:print each change of a record as it is seen, until Ctrl-C', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--as:print the request as a curl command and send nothing', '--strict:send nothing where a query parameter is missing, or unknown to the list', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('* * create', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--describe:print what the connection says that this takes, and do nothing else', '--data:the request body; - is standard input', '-d:the request body; - is standard input', '--raw-field:set a field to a string; a[b]=1 nests', '-f:set a field to a string; a[b]=1 nests', '--field:set a field to a JSON value, else a string; @base64:FILE for bytes', '-F:set a field to a JSON value, else a string; @base64:FILE for bytes', '--upload:send a file as a form, with -f for its other fields; NAME is file', '--content-type:send the file of -d @FILE as it is, as this type', '--skeleton:print a body to fill in and send nothing', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--out:write the result to a file, a download also to a folder', '--force:overwrite the file; print binary on a terminal', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--as:print the request as a curl command and send nothing', '--yes:delete, or write to several connections, without asking; required off a terminal', '-y:delete, or write to several connections, without asking; required off a terminal', '--fail-fast:stop at the first connection that fails', '--max-failures:stop when more than N connections, or P % of them, failed', '--stages:do so many connections first, such as 1,5,20%; the next if all are done', '--idempotency-key:reuse the key of an earlier attempt of this write', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('* * get', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--format:the format of the input, if it is not detected', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--describe:print what the connection says that this takes, and do nothing else', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--ordered:print several connections one after the other', '--out:write the result to a file, a download also to a folder', '--force:overwrite the file; print binary on a terminal', '--expect:fail with 14 unless this jq program is true for the result, read whole', '--junit:also write the result as JUnit XML, over an older file', '--until:repeat the read until this jq program is true', '--fail-if:with --until: give up once this jq program is true', '--every:seconds from one read to the next (5, --follow: 30)', '--wait-timeout:maximum seconds to wait (600)', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--as:print the request as a curl command and send nothing', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('* * update', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--format:the format of the input, if it is not detected', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--describe:print what the connection says that this takes, and do nothing else', '--data:the request body; - is standard input', '-d:the request body; - is standard input', '--raw-field:set a field to a string; a[b]=1 nests', '-f:set a field to a string; a[b]=1 nests', '--field:set a field to a JSON value, else a string; @base64:FILE for bytes', '-F:set a field to a JSON value, else a string; @base64:FILE for bytes', '--upload:send a file as a form, with -f for its other fields; NAME is file', '--content-type:send the file of -d @FILE as it is, as this type', '--skeleton:print a body to fill in and send nothing', '--edit:edit the record in $VISUAL or $EDITOR and send what was changed', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--out:write the result to a file, a download also to a folder', '--force:overwrite the file; print binary on a terminal', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--as:print the request as a curl command and send nothing', '--yes:delete, or write to several connections, without asking; required off a terminal', '-y:delete, or write to several connections, without asking; required off a terminal', '--fail-fast:stop at the first connection that fails', '--max-failures:stop when more than N connections, or P % of them, failed', '--stages:do so many connections first, such as 1,5,20%; the next if all are done', '--idempotency-key:reuse the key of an earlier attempt of this write', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('* * delete', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--format:the format of the input, if it is not detected', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--describe:print what the connection says that this takes, and do nothing else', '--data:the request body; - is standard input', '-d:the request body; - is standard input', '--raw-field:set a field to a string; a[b]=1 nests', '-f:set a field to a string; a[b]=1 nests', '--field:set a field to a JSON value, else a string; @base64:FILE for bytes', '-F:set a field to a JSON value, else a string; @base64:FILE for bytes', '--skeleton:print a body to fill in and send nothing', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--out:write the result to a file, a download also to a folder', '--force:overwrite the file; print binary on a terminal', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--as:print the request as a curl command and send nothing', '--yes:delete, or write to several connections, without asking; required off a terminal', '-y:delete, or write to several connections, without asking; required off a terminal', '--fail-fast:stop at the first connection that fails', '--max-failures:stop when more than N connections, or P % of them, failed', '--stages:do so many connections first, such as 1,5,20%; the next if all are done', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('* * download', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--format:the format of the input, if it is not detected', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--describe:print what the connection says that this takes, and do nothing else', '--data:the request body; - is standard input', '-d:the request body; - is standard input', '--raw-field:set a field to a string; a[b]=1 nests', '-f:set a field to a string; a[b]=1 nests', '--field:set a field to a JSON value, else a string; @base64:FILE for bytes', '-F:set a field to a JSON value, else a string; @base64:FILE for bytes', '--skeleton:print a body to fill in and send nothing', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--out:write the result to a file, a download also to a folder', '--from:with --out DIR: download the file of each id or record in FILE', '--force:overwrite the file; print binary on a terminal', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--as:print the request as a curl command and send nothing', '--fail-fast:stop at the first connection that fails', '--max-failures:stop when more than N connections, or P % of them, failed', '--stages:do so many connections first, such as 1,5,20%; the next if all are done', '--strict:send nothing where a query parameter is missing, or unknown to the list', '--idempotency-key:reuse the key of an earlier attempt of this write', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('* * downgrade', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--describe:print what the connection says that this takes, and do nothing else', '--data:the request body; - is standard input', '-d:the request body; - is standard input', '--raw-field:set a field to a string; a[b]=1 nests', '-f:set a field to a string; a[b]=1 nests', '--field:set a field to a JSON value, else a string; @base64:FILE for bytes', '-F:set a field to a JSON value, else a string; @base64:FILE for bytes', '--skeleton:print a body to fill in and send nothing', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--out:write the result to a file, a download also to a folder', '--force:overwrite the file; print binary on a terminal', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--as:print the request as a curl command and send nothing', '--yes:delete, or write to several connections, without asking; required off a terminal', '-y:delete, or write to several connections, without asking; required off a terminal', '--fail-fast:stop at the first connection that fails', '--max-failures:stop when more than N connections, or P % of them, failed', '--stages:do so many connections first, such as 1,5,20%; the next if all are done', '--strict:send nothing where a query parameter is missing, or unknown to the list', '--idempotency-key:reuse the key of an earlier attempt of this write', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('* * unassign-role', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--describe:print what the connection says that this takes, and do nothing else', '--data:the request body; - is standard input', '-d:the request body; - is standard input', '--raw-field:set a field to a string; a[b]=1 nests', '-f:set a field to a string; a[b]=1 nests', '--field:set a field to a JSON value, else a string; @base64:FILE for bytes', '-F:set a field to a JSON value, else a string; @base64:FILE for bytes', '--skeleton:print a body to fill in and send nothing', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--out:write the result to a file, a download also to a folder', '--force:overwrite the file; print binary on a terminal', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--as:print the request as a curl command and send nothing', '--yes:delete, or write to several connections, without asking; required off a terminal', '-y:delete, or write to several connections, without asking; required off a terminal', '--fail-fast:stop at the first connection that fails', '--max-failures:stop when more than N connections, or P % of them, failed', '--stages:do so many connections first, such as 1,5,20%; the next if all are done', '--strict:send nothing where a query parameter is missing, or unknown to the list', '--idempotency-key:reuse the key of an earlier attempt of this write', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('* * export', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--describe:print what the connection says that this takes, and do nothing else', '--data:the request body; - is standard input', '-d:the request body; - is standard input', '--raw-field:set a field to a string; a[b]=1 nests', '-f:set a field to a string; a[b]=1 nests', '--field:set a field to a JSON value, else a string; @base64:FILE for bytes', '-F:set a field to a JSON value, else a string; @base64:FILE for bytes', '--skeleton:print a body to fill in and send nothing', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--out:write the result to a file, a download also to a folder', '--force:overwrite the file; print binary on a terminal', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--as:print the request as a curl command and send nothing', '--fail-fast:stop at the first connection that fails', '--max-failures:stop when more than N connections, or P % of them, failed', '--stages:do so many connections first, such as 1,5,20%; the next if all are done', '--strict:send nothing where a query parameter is missing, or unknown to the list', '--idempotency-key:reuse the key of an earlier attempt of this write', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('* * send-draft', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--describe:print what the connection says that this takes, and do nothing else', '--data:the request body; - is standard input', '-d:the request body; - is standard input', '--raw-field:set a field to a string; a[b]=1 nests', '-f:set a field to a string; a[b]=1 nests', '--field:set a field to a JSON value, else a string; @base64:FILE for bytes', '-F:set a field to a JSON value, else a string; @base64:FILE for bytes', '--skeleton:print a body to fill in and send nothing', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--out:write the result to a file, a download also to a folder', '--force:overwrite the file; print binary on a terminal', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--as:print the request as a curl command and send nothing', '--yes:delete, or write to several connections, without asking; required off a terminal', '-y:delete, or write to several connections, without asking; required off a terminal', '--fail-fast:stop at the first connection that fails', '--max-failures:stop when more than N connections, or P % of them, failed', '--stages:do so many connections first, such as 1,5,20%; the next if all are done', '--strict:send nothing where a query parameter is missing, or unknown to the list', '--idempotency-key:reuse the key of an earlier attempt of this write', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager')),
    @('* * *', @('--profile:profile to use; also a glob, tag:NAME or ''!NAME''', '-p:profile to use; also a glob, tag:NAME or ''!NAME''', '--account-id:the connection''s id; me: that of its own token', '-a:the connection''s id; me: that of its own token', '--base-url:the service''s base URL', '--token-file:read the token from a file', '--token-stdin:read the token from standard input', '--query:a query parameter; brackets are sent as typed', '-q:a query parameter; brackets are sent as typed', '--describe:print what the connection says that this takes, and do nothing else', '--data:the request body; - is standard input', '-d:the request body; - is standard input', '--raw-field:set a field to a string; a[b]=1 nests', '-f:set a field to a string; a[b]=1 nests', '--field:set a field to a JSON value, else a string; @base64:FILE for bytes', '-F:set a field to a JSON value, else a string; @base64:FILE for bytes', '--skeleton:print a body to fill in and send nothing', '--output:the output format', '-o:the output format', '--columns:only these fields, such as id,status.name,tags[0].name', '--jq:apply this jq program to the result, or to each line', '--csv-safe:escape cells that a spreadsheet would run as formulas', '--bom:begin CSV with a byte-order mark, which Excel needs', '--out:write the result to a file, a download also to a folder', '--force:overwrite the file; print binary on a terminal', '--record:write every exchange to a HAR file, without credentials', '--replay:answer from a HAR file; nothing is sent', '--dry-run:print the request as JSON and send nothing', '--as:print the request as a curl command and send nothing', '--yes:delete, or write to several connections, without asking; required off a terminal', '-y:delete, or write to several connections, without asking; required off a terminal', '--fail-fast:stop at the first connection that fails', '--max-failures:stop when more than N connections, or P % of them, failed', '--stages:do so many connections first, such as 1,5,20%; the next if all are done', '--idempotency-key:reuse the key of an earlier attempt of this write', '--timeout:seconds for a request with its retries (120)', '--retries:retries after the first attempt (4)', '--rate:requests per 10 s and connection, 0: no limit (45)', '--token-rate:requests per 10 s and token, 0: no limit (ten times --rate)', '--workers:concurrent requests, up to 64 (8)', '--ca-bundle:also trust these certificate authorities', '--verbose:print each request; -vv with headers and bodies', '-v:print each request; -vv with headers and bodies', '--quiet:print errors only', '--no-input:never prompt, fail instead', '--color:colour the output (auto)', '--pretty:indent JSON, also off a terminal', '--json-errors:print an error as JSON, as -o json and ndjson do off a terminal', '--no-pager:show what does not fit the screen without a pager'))
)
$UnifiedValues = New-Object System.Collections.Hashtable ([StringComparer]::Ordinal)
$UnifiedValues['-p'] = 'connection'
$UnifiedValues['--profile'] = 'connection'
$UnifiedValues['-a'] = ''
$UnifiedValues['--account-id'] = ''
$UnifiedValues['--base-url'] = ''
$UnifiedValues['--token-file'] = 'file'
$UnifiedValues['-o'] = 'json ndjson table csv tsv yaml ids raw auto'
$UnifiedValues['--output'] = 'json ndjson table csv tsv yaml ids raw auto'
$UnifiedValues['-q'] = 'parameter'
$UnifiedValues['--query'] = 'parameter'
$UnifiedValues['--limit'] = ''
$UnifiedValues['--page-size'] = ''
$UnifiedValues['--since'] = ''
$UnifiedValues['--cursor'] = ''
$UnifiedValues['--dedupe'] = 'id'
$UnifiedValues['--columns'] = 'column'
$UnifiedValues['--jq'] = ''
$UnifiedValues['--out'] = 'file'
$UnifiedValues['--expect'] = ''
$UnifiedValues['--junit'] = 'file'
$UnifiedValues['--until'] = ''
$UnifiedValues['--fail-if'] = ''
$UnifiedValues['--every'] = ''
$UnifiedValues['--wait-timeout'] = ''
$UnifiedValues['--record'] = 'file'
$UnifiedValues['--replay'] = 'file'
$UnifiedValues['--as'] = 'curl'
$UnifiedValues['--timeout'] = ''
$UnifiedValues['--retries'] = ''
$UnifiedValues['--rate'] = ''
$UnifiedValues['--token-rate'] = ''
$UnifiedValues['--workers'] = ''
$UnifiedValues['--ca-bundle'] = 'file'
$UnifiedValues['--color'] = 'auto always never'
$UnifiedValues['-d'] = '@file'
$UnifiedValues['--data'] = '@file'
$UnifiedValues['-f'] = 'field'
$UnifiedValues['--raw-field'] = 'field'
$UnifiedValues['-F'] = 'field@file'
$UnifiedValues['--field'] = 'field@file'
$UnifiedValues['--upload'] = 'file'
$UnifiedValues['--content-type'] = ''
$UnifiedValues['--max-failures'] = ''
$UnifiedValues['--stages'] = ''
$UnifiedValues['--idempotency-key'] = ''
$UnifiedValues['--format'] = 'ndjson json csv ids'
$UnifiedValues['--from'] = 'file'
$UnifiedValues['--to'] = 'folder'
$UnifiedValues['--shard'] = ''
$UnifiedValues['--verify'] = 'folder'
$UnifiedValues['--task'] = ''
$UnifiedValues['--engine'] = ''
$UnifiedValues['--lag'] = ''
$UnifiedValues['--operation'] = ''
$UnifiedValues['--map'] = ''
$UnifiedValues['--report'] = 'file'
$UnifiedValues['--key'] = ''
$UnifiedValues['--ignore'] = ''
$UnifiedValues['--set'] = ''
$UnifiedValues['--ids'] = 'file'
$UnifiedValues['--only'] = 'create update delete'
$UnifiedValues['--max-deletes'] = ''
$UnifiedValues['--records'] = ''
$UnifiedValues['--against'] = ''
$UnifiedValues['--requests-per-minute'] = ''
$UnifiedValues['--client'] = 'claude-code claude-desktop codex cursor gemini-cli vscode windsurf zed'
$UnifiedValues['--shell'] = 'bash zsh fish pwsh'
$UnifiedValues['--port'] = ''
$UnifiedValues['--host'] = ''
$UnifiedValues['--allow-host'] = ''
$UnifiedValues['--ready-file'] = 'file'
$UnifiedValues['--seed'] = ''
$UnifiedValues['--state'] = 'file'
$UnifiedValues['--faults'] = 'file'
$UnifiedValues['--with'] = ''
$UnifiedValues['--bundle'] = 'file'
$UnifiedValues['--har'] = 'file'
$UnifiedValues['--product'] = ''
$UnifiedValues['--where'] = ''
$UnifiedValues['--prefix'] = ''
$UnifiedValues['--tag'] = ''
$UnifiedValues['--token-command'] = ''
$UnifiedValues['--store'] = 'keyring file config'
$UnifiedValues['export -o'] = 'ndjson csv tsv json parquet delta'
$UnifiedValues['export --output'] = 'ndjson csv tsv json parquet delta'
$UnifiedValues['export --format'] = 'ndjson csv tsv json parquet delta'
$UnifiedValues['import -o'] = 'table json tsv'
$UnifiedValues['import --output'] = 'table json tsv'
$UnifiedValues['diff -o'] = 'table ndjson json'
$UnifiedValues['diff --output'] = 'table ndjson json'
$UnifiedValues['apply -o'] = 'table json tsv'
$UnifiedValues['apply --output'] = 'table json tsv'
$UnifiedValues['runs list -o'] = 'table json tsv'
$UnifiedValues['runs list --output'] = 'table json tsv'
$UnifiedValues['schema -o'] = 'table json tsv'
$UnifiedValues['schema --output'] = 'table json tsv'
$UnifiedValues['operations -o'] = 'table json tsv'
$UnifiedValues['operations --output'] = 'table json tsv'
$UnifiedValues['sandbox status -o'] = 'table json tsv'
$UnifiedValues['sandbox status --output'] = 'table json tsv'
$UnifiedValues['doctor -o'] = 'table json tsv'
$UnifiedValues['doctor --output'] = 'table json tsv'
$UnifiedValues['capabilities -o'] = 'table tsv json ndjson csv junit'
$UnifiedValues['capabilities --output'] = 'table tsv json ndjson csv junit'
$UnifiedValues['connections list -o'] = 'table json tsv'
$UnifiedValues['connections list --output'] = 'table json tsv'
$UnifiedValues['profile list -o'] = 'table json tsv'
$UnifiedValues['profile list --output'] = 'table json tsv'
$UnifiedValues['profile show -o'] = 'table json tsv'
$UnifiedValues['profile show --output'] = 'table json tsv'
$UnifiedValues['profile test -o'] = 'table json tsv'
$UnifiedValues['profile test --output'] = 'table json tsv'
$UnifiedArguments = @{
    'ticketing accounts get' = @('record')
    'ticketing accounts update' = @('record')
    'ticketing accounts delete' = @('record')
    'ticketing attachments get' = @('record')
    'ticketing attachments update' = @('record')
    'ticketing attachments download' = @('record')
    'ticketing collections get' = @('record')
    'ticketing collections update' = @('record')
    'ticketing collections delete' = @('record')
    'ticketing comments get' = @('record')
    'ticketing comments update' = @('record')
    'ticketing comments delete' = @('record')
    'ticketing contacts get' = @('record')
    'ticketing contacts update' = @('record')
    'ticketing contacts delete' = @('record')
    'ticketing tags get' = @('record')
    'ticketing tags update' = @('record')
    'ticketing tags delete' = @('record')
    'ticketing teams get' = @('record')
    'ticketing teams update' = @('record')
    'ticketing teams delete' = @('record')
    'ticketing tickets get' = @('record')
    'ticketing tickets update' = @('record')
    'ticketing tickets delete' = @('record')
    'ticketing fields get' = @('record')
    'ticketing fields update' = @('record')
    'ticketing fields delete' = @('record')
    'ticketing users get' = @('record')
    'ticketing users update' = @('record')
    'ticketing users delete' = @('record')
    'ticketing workspaces get' = @('record')
    'ticketing workspaces update' = @('record')
    'ticketing workspaces delete' = @('record')
    'ticketing task_lists get' = @('record')
    'ticketing tasks get' = @('record')
    'ticketing tasks update' = @('record')
    'ticketing tasks delete' = @('record')
    'ticketing organizations get' = @('record')
    'user-directory roles get' = @('record')
    'user-directory roles update' = @('record')
    'user-directory roles delete' = @('record')
    'user-directory users get' = @('record')
    'user-directory users update' = @('record')
    'user-directory users delete' = @('record')
    'user-directory organizations get' = @('record')
    'user-directory organizations update' = @('record')
    'user-directory organizations delete' = @('record')
    'user-directory groups get' = @('record')
    'user-directory groups update' = @('record')
    'user-directory groups delete' = @('record')
    'user-directory activities get' = @('record')
    'user-directory licenses get' = @('record')
    'user-directory workspaces get' = @('record')
    'user-directory role_assignments get' = @('record')
    'user-directory role_assignments delete' = @('record')
    'ats applications get' = @('record')
    'ats attachments download' = @('record')
    'ats candidates get' = @('record')
    'ats departments get' = @('record')
    'ats eeocs get' = @('record')
    'ats interviews get' = @('record')
    'ats job_interview_stages get' = @('record')
    'ats jobs get' = @('record')
    'ats offices get' = @('record')
    'ats organizations get' = @('record')
    'ats users get' = @('record')
    'knowledge-base pages get' = @('record')
    'knowledge-base pages update' = @('record')
    'knowledge-base page-content get' = @('record')
    'knowledge-base collections get' = @('record')
    'knowledge-base comments get' = @('record')
    'knowledge-base spaces get' = @('record')
    'knowledge-base page-exports get' = @('record')
    'knowledge-base page-exports download' = @('record')
    'knowledge-base files download' = @('record')
    'knowledge-base users get' = @('record')
    'ci-cd repos get' = @('record')
    'ci-cd branches get' = @('record')
    'ci-cd pull-requests get' = @('record')
    'ci-cd builds get' = @('record')
    'ci-cd jobs get' = @('record')
    'ci-cd artifacts get' = @('record')
    'ci-cd workflow get' = @('record')
    'ci-cd workspaces get' = @('record')
    'emails emails get' = @('record')
    'emails emails update' = @('record')
    'emails emails delete' = @('record')
    'emails folders get' = @('record')
    'emails folders update' = @('record')
    'emails folders delete' = @('record')
    'emails users get' = @('record')
    'emails attachments get' = @('record')
    'emails attachments download' = @('record')
    'calendar calendars get' = @('record')
    'calendar events get' = @('record')
    'calendar events update' = @('record')
    'calendar events delete' = @('record')
    'calendar event_types get' = @('record')
    'conferencing transcripts get' = @('record')
    'conferencing attendees get' = @('record')
    'conferencing transcript_entries get' = @('record')
    'conferencing meetings get' = @('record')
    'usage-metering organizations get' = @('record')
    'usage-metering workspaces get' = @('record')
    'voice recordings download' = @('record')
    'request' = @('GET POST PATCH PUT DELETE', '')
    'export' = @('api/resource')
    'import' = @('api/resource', 'file')
    'diff' = @('api/resource')
    'plan' = @('api/resource')
    'apply' = @('file')
    'runs show' = @('last-run')
    'runs resume' = @('last-run')
    'runs retry' = @('last-run')
    'runs remove' = @('run')
    'schema' = @('api/resource')
    'help' = @('exit-codes output query filters config environment options operations profiles runs move agents evidence checks sandbox engines ticketing user-directory ats knowledge-base ci-cd emails calendar conferencing usage-metering voice request export import diff plan apply runs schema mcp operations help completion sandbox doctor capabilities connections profile', '')
    'doctor' = @('connection')
    'capabilities' = @('api/resource')
    'profile list' = @('connection')
    'profile show' = @('profile')
    'profile set' = @('profile', 'base_url= account_id= token_file= token_command= keyring= output= timeout= retries= rate= token_rate= ca_bundle= page_size= no_input= quiet= read_only= idempotency_window= tags=')
    'profile use' = @('profile')
    'profile login' = @('connection', '')
    'profile logout' = @('profile')
    'profile import' = @('file')
    'profile test' = @('connection')
    'profile remove' = @('profile')
}

$UnifiedComplete = {
    param($wordToComplete, $commandAst, $cursorPosition)

    function Get-UnifiedFolder {
        if ($env:XDG_CONFIG_HOME) { return Join-Path $env:XDG_CONFIG_HOME 'unified' }
        if ($env:LOCALAPPDATA) { return Join-Path $env:LOCALAPPDATA 'unified' }
        $mac = "$HOME/Library/Application Support/unified"
        if (Test-Path -LiteralPath $mac -PathType Container) { return $mac }
        return "$HOME/.config/unified"
    }

    # The profiles of the config file, those with harmless names.
    function Get-UnifiedProfiles {
        'sandbox'
        $file = $env:UNIFIED_CONFIG
        if (-not $file) { $file = Join-Path (Get-UnifiedFolder) 'config.toml' }
        if (-not (Test-Path -LiteralPath $file -PathType Leaf)) { return }
        $bare = '^\s*\[profiles\.(?:([A-Za-z0-9][A-Za-z0-9_-]*)|"([A-Za-z0-9][A-Za-z0-9._-]*)")\]\s*(#.*)?$'
        foreach ($line in Get-Content -LiteralPath $file -TotalCount 10000 -ErrorAction SilentlyContinue) {
            if ($line -cmatch $bare) { if ($Matches[1]) { $Matches[1] } else { $Matches[2] } }
        }
    }

    # What the user's own catalogue files add after the command words.
    function Get-UnifiedAdded([string[]]$at) {
        $folder = Join-Path (Get-UnifiedFolder) 'catalogue.d'
        if (-not (Test-Path -LiteralPath $folder -PathType Container)) { return }
        if ($at.Count -gt 0 -and ('request export import diff plan apply runs schema mcp operations help completion sandbox doctor capabilities connections profile' -split ' ') -ccontains $at[0]) { return }
        foreach ($file in Get-ChildItem -LiteralPath $folder -Filter '*.toml' -File) {
            $section = ''
            foreach ($line in Get-Content -LiteralPath $file.FullName -TotalCount 10000 -ErrorAction SilentlyContinue) {
                if ($line -cmatch '^\[api\.([a-z_-]+)\.resources\]') {
                    $section = $Matches[1]
                    if ($at.Count -eq 0) { $section }
                } elseif ($line.StartsWith('[')) {
                    $section = ''
                } elseif ($at.Count -gt 0 -and $section -ceq $at[0] -and
                    $line -cmatch '^([a-z_-]+)\s*=\s*(?:\{.*operations\s*=\s*)?"([a-z_ -]*)"') {
                    if ($at.Count -eq 1) { $Matches[1] }
                    elseif ($at.Count -eq 2 -and $Matches[1] -ceq $at[1]) {
                        ($Matches[2] -creplace '\bcrud\b', 'list create get update delete') -split ' ' | Where-Object { $_ }
                    }
                }
            }
        }
    }

    # What may follow the command words, each as word:purpose.
    function Get-UnifiedWords([string[]]$at) {
        $built = $UnifiedWords[($at -join ' ')]
        $names = @($built | Where-Object { $_ } | ForEach-Object { ($_ -split ':')[0] })
        $built
        Get-UnifiedAdded $at | Select-Object -Unique | Where-Object { $names -cnotcontains $_ }
    }

    function Show-Unified([string[]]$candidates, [string]$before) {
        foreach ($candidate in $candidates | Where-Object { $_ }) {
            $word, $purpose = $candidate -split ':', 2
            if (($before + $word).StartsWith($wordToComplete, [StringComparison]::Ordinal)) {
                if (-not $purpose) { $purpose = $word }
                [System.Management.Automation.CompletionResult]::new(
                    $before + $word, $word, 'ParameterValue', $purpose)
            }
        }
    }

    # An empty answer leaves files to the shell itself.
    function Show-UnifiedKind([string]$kind, [string]$before) {
        switch ($kind) {
            '' { }
            'file' { }
            'folder' { }
            '@file' { }
            'profile' { Show-Unified (Get-UnifiedProfiles) $before }
            'connection' { Show-Unified (Get-UnifiedProfiles) $before }
            'record' { }
            'column' { }
            'parameter' { }
            'field' { }
            'field@file' { }
            'run' { }
            'last-run' { }
            'api/resource' {
                if ($wordToComplete.Contains('/')) {
                    $api = ($wordToComplete -split '/')[0]
                    Show-Unified (Get-UnifiedWords @($api)) "$api/"
                } else {
                    Show-Unified ('ticketing user-directory ats knowledge-base ci-cd emails calendar conferencing usage-metering voice' -split ' ') $before
                }
            }
            default { Show-Unified ($kind -split ' ') $before }
        }
    }

    # What the value of an option is: that of the command, or of all that have the option.
    function Get-UnifiedValue([string]$option) {
        $own = "$($at -join ' ') $option"
        if ($UnifiedValues.ContainsKey($own)) { $UnifiedValues[$own] } else { $UnifiedValues[$option] }
    }

    $at = @()
    $skip = ''
    $helped = $false
    $argument = 0
    $known = @(Get-UnifiedWords $at)
    $typed = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text })
    for ($i = 1; $i -lt $typed.Count; $i++) {
        $word = $typed[$i]
        if ($skip) { $skip = ''; continue }
        if ($word -clike '--*=*') { continue }
        if ($UnifiedValues.ContainsKey($word)) { $skip = $word; continue }
        if ($word.StartsWith('-')) { continue }
        if (-not $helped -and -not $at.Count -and $word -ceq 'help') {
            # The words after help are those of the command itself.
            $helped = $true
        } elseif ($known.Count) {
            $at += $word
            $known = @(Get-UnifiedWords $at)
            if ($helped) { $argument++ }
        } else {
            $argument++
        }
    }

    $place = if ($helped) { 'help' } else { $at -join ' ' }
    if ($skip) {
        Show-UnifiedKind (Get-UnifiedValue $skip) ''
    } elseif ($wordToComplete -clike '--*=*') {
        $option = ($wordToComplete -split '=', 2)[0]
        Show-UnifiedKind (Get-UnifiedValue $option) "$option="
    } elseif ($wordToComplete.StartsWith('-')) {
        $help = @('--help:show the page of help', '-h:show the page of help')
        foreach ($set in $UnifiedFlags) {
            if ($place -clike $set[0]) { Show-Unified ($help + $set[1]) ''; return }
        }
        Show-Unified $help ''
    } elseif ($known.Count -and (-not $helped -or $at.Count)) {
        Show-Unified $known ''
    } else {
        $kinds = @($UnifiedArguments[$place])
        if ($kinds.Count) { Show-UnifiedKind $kinds[[Math]::Min($argument, $kinds.Count - 1)] '' }
    }
}

Register-ArgumentCompleter -Native -CommandName unified -ScriptBlock $UnifiedComplete.GetNewClosure()
