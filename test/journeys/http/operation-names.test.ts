import assert from 'node:assert/strict'
import { test } from 'node:test'
import { World } from '#test/world/world.ts'

// On one database: the document is made without a database.

const world = await World.ofFile()

/** Programs are written with these names: they stay. */
const names: Readonly<Record<string, string>> = {
  Labels: 'createLabel deleteLabel getLabel listLabels mergeLabel updateLabel',
  'Orphan labels': 'adoptOrphanLabel listOrphanLabels removeOrphanLabel',
  Filters: 'createFilter deleteFilter getFilter listFilters runAllFilters runFilter testFilters updateFilter',
  'Filter runs': 'cancelFilterRun getFilterRun listFilterRuns',
  'Blocked senders': 'createBlockedSender deleteBlockedSender getBlockedSender listBlockedSenders',
  'Own labels': 'createOwnLabel deleteOwnLabel getOwnLabel listOwnLabels updateOwnLabel',
  'Own filters':
    'createOwnFilter deleteOwnFilter getOwnFilter listOwnFilters runAllOwnFilters runOwnFilter testOwnFilters updateOwnFilter',
  'Own filter runs': 'cancelOwnFilterRun getOwnFilterRun listOwnFilterRuns',
  'Own blocked senders': 'createOwnBlockedSender deleteOwnBlockedSender getOwnBlockedSender listOwnBlockedSenders',
  Forwarding: 'getForwarding updateForwarding',
  Sending: 'sendBatch sendMessage',
  Messages:
    'deleteMessages downloadMessage downloadMessageAttachment fetchMessagePicture getMessage getMessageHeaders listMessages replyToMessage updateManyMessages updateMessage',
  'Sent messages': 'getSentMessage listSentMessages',
  Suppressions: 'deleteSuppression listSuppressions',
  Drafts:
    'addDraftAttachment createDraft deleteDraft getDraft listDrafts removeDraftAttachment requestDraftApproval sendDraft updateDraft',
  Approvals: 'approveDraft declineDraft getApproval listApprovals',
  'Scheduled messages':
    'cancelScheduledMessage createScheduledMessage getScheduledMessage listScheduledMessages retryScheduledMessage updateScheduledMessage',
  Folders: 'createFolder deleteFolder emptyFolder getFolder listFolders renameFolder',
  Changes: 'getChange listChanges undoChange',
  Search: 'searchMessages',
  Threads: 'getThread listThreads',
  Conversations: 'getConversation listConversations',
  Events: 'listEvents streamEvents',
  Presence: 'reportPresence',
  Signatures: 'listSignatures setSignature',
  Webhooks:
    'createWebhook deleteWebhook getWebhook listWebhookDeliveries listWebhooks replayWebhook rotateWebhookSecret testWebhook updateWebhook',
  Domains: 'downloadDomainZone enrolDomain getDomain listDomains removeDomain',
  Mailboxes: 'createMailbox deleteMailbox getMailbox listMailboxes resumeMailbox suspendMailbox',
  'Shared mailboxes': 'endMailboxAccess giveMailboxAccess listAccessChanges listMailboxAccess',
  Usage: 'getUsage',
  Members: 'addMember getMember inviteMember listMembers removeMember updateMember',
  Sessions:
    'addPasskey beginPasskey beginSignOn beginTotp challengeConfirmation challengeSignIn confirmSession confirmSignOn confirmTotp endSession getMe listPasskeys listSessions listSignInWays removePasskey removeTotp renamePasskey setPassword showSignInLink signIn signOut',
  'API keys': 'createApiKey getApiKey listApiKeys revokeApiKey',
  'Audit trail': 'listAuditEntries',
}

test('each operation keeps the name that generated clients call it by', async () => {
  const { paths } = await world.client.description()
  const found = new Map<string, string[]>()
  for (const { operationId, tags } of Object.values(paths).flatMap((operations) => Object.values(operations)))
    found.set(tags.join(), [...(found.get(tags.join()) ?? []), operationId])
  const text = [...found].map(([noun, ids]) => [noun, ids.sort().join(' ')])
  assert.deepEqual(Object.fromEntries(text), names)
})
