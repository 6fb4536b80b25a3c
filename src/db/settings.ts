/**
 * What each session is set to, embedded or on a server, as the server's command line and a connection's options take it.
 *
 * A plan lasts as long as its connection, in prepared statements, functions and the checks of foreign keys. One that was
 * made while a table had a handful of rows would go through the whole of it, and goes on doing so when ten thousand come
 * within seconds, until the table is analysed. Every statement of a request has an index to go by (docs/database.md,
 * "Plans"), so none is told to do without. What has no index is still read so; and since the planner then takes it for dear,
 * it must not compile it first.
 */
export const sessionSettings = ['TimeZone=UTC', 'enable_seqscan=off', 'jit=off'].flatMap((one) => ['-c', one])
