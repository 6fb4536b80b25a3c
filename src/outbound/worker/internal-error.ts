/** Why a message did not leave, where the reason lies in Mailroom itself; the log says more. */
export const internalError = 'Internal error'
