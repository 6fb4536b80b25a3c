import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Approval, Draft } from '../../api/generated.ts'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { lazily } from '../../parts/state/loading-parts.ts'
import { Part } from '../../parts/state/part.tsx'
import { plain } from '../../parts/text/plain.ts'
import { Time } from '../../parts/time/time.tsx'
import { useMay } from '../../session/may.ts'
import { useMayWrite } from '../write/sending/use-may-write.ts'
import styles from './approvals.module.css'
import { Approve } from './approve.tsx'
import { Decline } from './decline.tsx'
import { draftQuery } from './queries.ts'

// Loaded together with the parts that show a message.
const Content = lazily(() => import('./content.tsx'))

/** A draft as it would be sent, with the buttons to approve and decline it. */
export function WaitingDraft({ approval }: { approval: Approval }) {
  const query = useQuery(draftQuery(approval.draft_id))
  const [asked, ask] = useState<'approve' | 'decline'>()
  const heading = useId()
  const isApprover = useMay('sending:approve')
  const mayDecide = useMayWrite(approval.mailbox) && isApprover
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
            <Fields draft={draft} />
            {draft.version === approval.version ? (
              // Only what is shown can be approved.
              <Part name="The draft">
                <Content draft={draft}>
                  {(isShown) =>
                    mayDecide ? (
                      <div className={styles.buttons}>
                        <Button look="primary" isDisabled={!isShown} onPress={() => ask('approve')}>
                          Approve
                        </Button>
                        <Button onPress={() => ask('decline')}>Decline</Button>
                      </div>
                    ) : (
                      <p className={styles.note}>
                        {isApprover
                          ? 'You may read this mailbox. To decide, you need to be able to send from it.'
                          : 'An owner or an admin decides.'}
                      </p>
                    )
                  }
                </Content>
              </Part>
            ) : (
              <p className={styles.note}>It was changed since: approval must be asked for again.</p>
            )}
            {asked === 'approve' && <Approve approval={approval} draft={draft} onClose={close} />}
            {asked === 'decline' && <Decline approval={approval} onClose={close} />}
          </article>
        )}
      </Loaded>
    </Card>
  )
}

/** All fields that are sent, but for the subject and what the service adds. */
function Fields({ draft }: { draft: Draft }) {
  const { from, to, cc, bcc, reply_to, in_reply_to, references, headers } = draft
  const people = { From: [from], To: to, Cc: cc, Bcc: bcc, 'Answers to': reply_to }
  const rows = [
    ...Object.entries(people).map(([name, all]) => [name, all.join(', ')] as const),
    ['In-Reply-To', in_reply_to.join(' ')] as const,
    ['References', references.join(' ')] as const,
    ...Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => [name, value] as const)),
  ]
  return (
    <dl className={styles.fields}>
      {rows
        .filter(([, value]) => value !== '')
        .map(([name, value], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the fields of a draft never change places
          <div key={index}>
            <dt>{name}</dt>
            <dd>
              <bdi>{plain(value)}</bdi>
            </dd>
          </div>
        ))}
    </dl>
  )
}
