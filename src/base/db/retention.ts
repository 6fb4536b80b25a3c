/** For how many days records are kept: events, changes of messages, outcomes of sent messages, failed messages, runs of filters and
 *  decided approvals. */
export const retentionDays = 30

export const retentionMs = retentionDays * 86_400_000
