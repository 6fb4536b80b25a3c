/** The reason shown for a fault of Mailroom itself; the log has the details. */
export const internalError = 'Internal error'
