/** Settings of each session, embedded or on a server, in the syntax of the server's command line and a connection's options.
 *  Plans last as long as the connection, in prepared statements, functions and foreign keys. A plan made for a table with a
 *  handful of rows would scan the table, also after ten thousand rows were added within seconds, until it is analysed. Every
 *  statement of a request has an index (docs/database.md, "Plans"), so sequential scans are disabled. What has no index is
 *  still scanned. Since the planner then estimates a high cost, it must not compile the statement. */
export const sessionSettings = ['TimeZone=UTC', 'enable_seqscan=off', 'jit=off'].flatMap((one) => ['-c', one])
