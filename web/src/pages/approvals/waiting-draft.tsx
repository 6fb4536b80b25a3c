import { useQuery } from '@tanstack/react-query'
import { lazy, useId, useState } from 'react'
import { ApiError } from '../../api/call.ts'
import { type Approval, approveDraft, type Draft, declineDraft } from '../../api/generated.ts'
import { Button } from '../../parts/button.tsx'
import { ActionDialog } from '../../parts/dialog.tsx'
import { TextInput } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { Part } from '../../parts/part.tsx'
import { plain } from '../../parts/plain.ts'
import { Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useMayWrite } from '../write/use-may-write.ts'
import styles from './approvals.module.css'
import { approvalsChanged, draftQuery } from './queries.ts'

// What shows a message is loaded with it.
const Content = lazy(() => import('./content.tsx'))

/** A draft as it would leave, with the buttons that decide it. */
export function WaitingDraft({ approval }: { approval: Approval }) {
  const query = useQuery(draftQuery(approval.draft_id))
  const [asked, ask] = useState<'approve' | 'decline'>()
  const heading = useId()
  const mayDecide = useMayWrite(approval.mailbox)
  const close = () => ask(undefined)
  return (
    <Card>
      <Loaded query={query} what="the draft">
        {(draft) => (
          <article className={styles.draft} aria-labelledby={heading}>
            <header className={styles.head}>
              <h2 id={heading}>{plain(draft.subject) || '(no subject)'}</h2>
              <p className={styles.asked}>
                {approval.requested_by.name} asked <Time at={approval.requested_at} />
              </p>
            </header>
            <People draft={draft} />
            {draft.version === approval.version ? (
              // One decides about what one sees.
              <Part name="The draft">
                <Content mailbox={approval.mailbox} version={approval.version} />
                {mayDecide ? (
                  <div className={styles.buttons}>
                    <Button look="primary" onPress={() => ask('approve')}>
                      Approve
                    </Button>
                    <Button onPress={() => ask('decline')}>Decline</Button>
                  </div>
                ) : (
                  <p className={styles.note}>You may read this mailbox; to decide, one must be able to send from it.</p>
                )}
              </Part>
            ) : (
              <p className={styles.note}>It was changed since: approval has to be asked for again.</p>
            )}
            {asked === 'approve' && <Approve approval={approval} draft={draft} onClose={close} />}
            {asked === 'decline' && <Decline approval={approval} onClose={close} />}
          </article>
        )}
      </Loaded>
    </Card>
  )
}

function People({ draft: { from, to, cc, bcc, reply_to } }: { draft: Draft }) {
  const fields = { From: [from], To: to, Cc: cc, Bcc: bcc, 'Answers to': reply_to }
  const all = Object.entries(fields).filter(([, people]) => people.length > 0)
  return (
    <dl className={styles.people}>
      {all.map(([name, people]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{plain(people.join(', '))}</dd>
        </div>
      ))}
    </dl>
  )
}

function Approve({ approval, draft, onClose }: { approval: Approval; draft: Draft; onClose: () => void }) {
  const [key] = useState(() => crypto.randomUUID())
  const people = draft.to.length + draft.cc.length + draft.bcc.length
  return (
    <ActionDialog
      title="Send this message?"
      about={`“${plain(draft.subject)}” leaves at once, as it is shown, to ${people === 1 ? 'one recipient' : `${people} recipients`}.`}
      action="Approve and send"
      onSubmit={() => decided(approveDraft(approval.id, { headers: { 'Idempotency-Key': key } }))}
      onClose={onClose}
    />
  )
}

function Decline({ approval, onClose }: { approval: Approval; onClose: () => void }) {
  const [reason, setReason] = useState('')
  return (
    <ActionDialog
      title="Decline this draft?"
      about="It stays a draft. Whoever asked sees the reason."
      action="Decline"
      ready={reason.trim() !== ''}
      fields={['reason']}
      onSubmit={() => decided(declineDraft(approval.id, { reason: reason.trim() }))}
      onClose={onClose}
    >
      <TextInput name="reason" label="Reason" value={reason} onChange={setReason} maxLength={998} autoFocus />
    </ActionDialog>
  )
}

/** Says in plain words that the draft is another one by now. */
async function decided(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (error instanceof ApiError && error.status === 409 && error.field === 'id')
      throw new Error(
        'The draft was changed after approval was asked for. Nothing was sent; approval has to be asked for again.',
      )
    throw error
  }
  await approvalsChanged()
}
