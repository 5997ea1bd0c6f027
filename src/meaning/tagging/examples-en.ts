/** Requests in English, by the tag of the preset that a person gives them, one a line. */
export const EXAMPLES_EN: Readonly<Record<string, string>> = {
  debug: `
    fix the login failure, users get a 500 after the redirect
    the build is broken since yesterday, can you take a look?
    can you check why linting is failing in CI
    Debug the race condition in the scheduler
    it doesn't work, I still get the same exception when I save
    investigate the memory leak in the worker process
    The date picker crashes when I type letters into it.
    these Windows tests are flaky, please find out what goes wrong
    I get "connection refused" on port 5432 when running docker compose up
    Login is broken on Safari after the last deploy
    the scheduler keeps skipping jobs at midnight, figure out why
    I'm seeing duplicate rows in the export, that shouldn't happen
    npm run build exits with code 137
    Users report that notifications arrive twice. Please fix.
    why is the p99 so slow since Tuesday?
    after upgrading node the watcher no longer picks up changes
    Getting a CORS error in the browser console, help
    the totals on the invoice are off by one cent, find the cause
    it hangs forever when the network drops
    npm ERR! peer dep missing: react@18
    can you fix these eslint warnings?
    Clicking "save" twice creates two records, please fix that
    Uncaught ReferenceError: foo is not defined
    the emails go to spam since we changed the sender, why?
    tests are red on main
    my docker container exits immediately
  `,
  implement: `
    add a --json flag to the report command
    Implement pagination for the orders endpoint
    Create a function that parses ISO durations
    can you build me a small CLI that converts markdown to html?
    please support uploading several files at once
    Now add a goodbye function
    we should add the agent name to any logging
    I want users to be able to reset their password by e-mail, write the backend for it
    let the parser accept trailing commas
    Integrate Stripe checkout into the shop
    Let's give the CLI a --quiet option
    users should be able to invite others by email
    write a script that renames all jpgs by their EXIF date
    we need an endpoint for deleting accounts
    make the retry count configurable per client
    store the last opened tab in localStorage
    Could you extend the importer so that it accepts xlsx as well?
    Add retry with exponential backoff to the http client
    when a job fails three times, move it to a dead letter queue
    introduce an interface for storage backends and write one for S3
    I'd like the command to accept a glob instead of a single path
    implement step 4 of the plan
    we want to send a weekly digest mail, please code it
    add support for YAML front matter
    make it possible to cancel a running export
    create an admin role with read-only access
    now do the same for the Python client
    write a parser for this format
    please hook the new logger into the worker
  `,
  refactor: `
    Refactor the storage module into smaller files
    rename getUser to fetchUser everywhere
    simplify this function, it is far too long
    extract the retry logic into its own class
    clean up the dead code in utils
    optimize the hot loop, it allocates too much
    please split server.ts into routes and handlers
    there is a lot of duplication in these two classes, can you get rid of it?
    this file is a mess, please tidy it up
    move the validation helpers into their own package
    convert these callbacks to async/await
    get rid of the any types in api.ts
    make parse() faster
    can we get rid of the global state in session.py?
    rename the package from foo to bar
    Reduce the nesting in handleRequest
    port the helper scripts from bash to TypeScript
    pull the date formatting out into a helper
    this query is too slow, speed it up
    replace the switch with a lookup table
  `,
  test: `
    write unit tests for the tokenizer
    run the test suite
    Can you add a few regression tests around time zones?
    increase the coverage of the billing package
    please rerun pytest and tell me the result
    can we add simple tests assuming we have tests for logging?
    add an e2e test for the checkout flow with playwright
    Test this on an empty repository
    please cover the error paths of the uploader with tests
    is there a test for the empty cart? if not, write one
    run vitest only for the changed files
    mock the payment gateway in the integration tests
    write property tests for the merge function
    Do all tests pass?
    please verify that the fallback works when redis is down
    add tests
    write failing tests first
    run the tests again
    we have no tests for the parser, write some
  `,
  review: `
    review this PR
    Independently review only the staged diff (\`git diff --cached\`) for the provenance feature.
    give me feedback on my approach in cache.go
    can you do a code review of the last three commits?
    audit the auth middleware for security problems
    double-check my changes before I merge
    please address the review comments from Anna
    look over my branch and tell me what you would change
    what do you think of this implementation?
    any concerns about the locking in pool.rs?
    Please critique the API I sketched below
    can you double check the migration before I run it?
    is this implementation ok?
    Here is my diff, please review it carefully
    read my proposal and tell me what is weak
    review commit 3f2a1bc
    are there any security issues in this code?
  `,
  docs: `
    update the README with the new install steps
    add docstrings to all public functions
    write a changelog entry for this release
    Document the configuration options
    there's a spelling mistake in the contributing guide
    write release notes for 2.0
    explain the new flags in the README
    the JSDoc of parseRange is outdated, update it
    translate the user guide to German
    add a section about proxies to the docs
    write a short tutorial about plugins
    improve the comments in scheduler.ts
    fix typos in the contributing guide
    document how to run the benchmarks
    update CHANGELOG.md
    the readme says node 16 but we need 20, correct it
  `,
  explain: `
    how does the session cache work?
    explain what this regex does
    What is the difference between a rebase and a merge?
    why do we use two databases here?
    summarize this repository for me
    when is this hook called?
    walk me through the request lifecycle
    Is @openspec/changes/loud/research.md already done?
    what are the tools that are available to you?
    what happens if two workers pick up the same job?
    can you explain generics in Go to me?
    how much memory does the index need?
    tell me what this shell script does
    difference between useMemo and useCallback?
    what's going on in this file?
    could you describe the data flow between the two services?
    who calls this function?
    does this library support Windows?
    give me a summary of what you did
    how is the score computed?
    where does the number 86400 come from?
    why did you choose a map here?
    summarize the discussion so far
  `,
  plan: `
    make a plan for migrating to the new API
    don't write code yet, let's plan the architecture first
    Propose a design for offline sync
    how should we structure the monorepo?
    break this epic down into tasks
    what's the best approach to add multi-tenancy?
    come up with a roadmap for Q3
    think about how we could support plugins, no code yet
    write an RFC for the event bus
    outline the steps to move from REST to gRPC
    suggest an approach for caching user sessions
    let's think about the migration strategy before coding
    what should we build next?
    design the database schema for a booking system
    let's make a plan
    before coding, list the open design questions
    split the work into milestones
  `,
  research: `
    search the web for recent benchmarks of HNSW libraries
    find all usages of deprecatedApi
    compare Redis and Memcached for our use case
    look up the rate limits of the GitHub API
    is there a library that does fuzzy matching in Go?
    Explore the codebase and list the entry points
    where is the feature flag for dark launches defined?
    check whether the SDK supports streaming
    which package do people use for PDF rendering in Node?
    read through src/net and find the places where we open sockets
    gather what is known about the Raft joint consensus bug
    look for similar issues on GitHub
    what are good alternatives to lodash?
    find where the timeout is configured
    search for a faster JSON parser
    find the file that defines the routes
    compare the two branches of the algorithm in the literature
  `,
  ops: `
    deploy the staging branch to fly.io
    restart the dev server
    publish the package to npm
    roll back the last deployment
    write a Dockerfile for the worker
    set up a GitHub Actions pipeline that builds on every push
    scale the api to three replicas in kubernetes
    start the app on port 8080
    set the CI job to run nightly
    release version 1.4.0
    tail the production logs of the worker pod
    build the docker image and push it to the registry
    check the status of the pods
    kill the process on port 3000
    bring up the stack with docker compose
    deploy
    add a health check to the k8s deployment
  `,
  git: `
    commit and push please
    create draft PR
    open up an appropriate branch off main
    rebase onto origin/main and resolve the conflicts
    make a pr that just adds all of these files to the repo
    squash the last two commits
    cherry-pick abc1234 into release-1.2
    merge main into this branch
    undo the last commit but keep the files
    put these changes on a new branch and open a PR
    push it
    what changed between v1.2 and v1.3? make a list from the commits
    make a commit with a good message
    rebase my branch on main
    create a new worktree for this
    commit this
    open a pull request against develop
    revert commit 9fceb02
  `,
  config: `
    upgrade eslint to version 9
    install tailwind and set it up
    enable strict mode in tsconfig.json
    add DATABASE_URL to the .env file
    bump the dependencies to their latest versions
    change the timeout setting to 30 seconds
    turn off telemetry in the config
    add vitest as a dev dependency
    set up prettier with single quotes
    change the default port to 4000 in the config file
    update all npm packages
    my vscode settings do not format on save, configure it
    install the dependencies
    disable the no-console lint rule
  `,
  data: `
    write a SQL query that lists the top ten customers by revenue
    load this csv into postgres
    add a migration that drops the legacy_users table
    plot the latency distribution from results.csv
    clean the dataset and remove the duplicate rows
    analyze the data in experiments/ and tell me which model wins
    how many orders per month did we have? query the db
    import users.csv into the users table
    draw a chart of the daily signups
    write a query that finds inactive users
    convert this json to csv
    create a table for invoices with an index on customer_id
    export the results to csv
  `,
  ui: `
    make the sidebar collapsible
    the button should be blue and centered
    Add dark mode to the settings page
    change the font size of the headings
    make the landing page responsive on mobile
    move the search box to the top of the navbar
    the modal overlaps the header on small screens
    use a larger font for the titles
    add a loading spinner while the table is fetched
    align the icons in the toolbar
    the text is too small on mobile, increase it
    build a profile page with an avatar upload
    make the header sticky
    center the logo
    the colors of the chart are hard to read
  `,
};
