import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { MeMailboxesItemLevel } from '../../api/generated.ts'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { Status } from '../../parts/text/status.tsx'
import { Time } from '../../parts/time/time.tsx'
import { AutoReplyForm } from './auto-reply-form.tsx'
import { ForwardingForm } from './forwarding-form.tsx'
import styles from './mailbox.module.css'
import { forwardingQuery } from './queries.ts'

interface Props {
  readonly address: string
  readonly level: MeMailboxesItemLevel
  /** Mail of a Private mailbox is not forwarded. */
  readonly forwards: boolean
}

/** Forwarding and automatic answers of a mailbox. */
export function ForwardingAndReply({ address, level, forwards }: Props) {
  const query = useQuery(forwardingQuery(address))
  const mayChange = level === 'own' || level === 'send'
  const [asked, ask] = useState<'forward' | 'reply'>()
  const close = () => ask(undefined)
  return (
    <Section title="Forwarding and auto-reply">
      <Card>
        <Loaded query={query} what="forwarding">
          {({ forward, reply }) => (
            <>
              {forwards && (
                <div className={styles.half}>
                  <div>
                    <strong>Forwarding</strong>{' '}
                    {forward.paused_at ? (
                      <Status is="bad">Paused</Status>
                    ) : (
                      <Status is={forward.enabled ? 'good' : 'plain'}>{forward.enabled ? 'On' : 'Off'}</Status>
                    )}
                    <p>
                      {forward.to === null ? 'A copy of arriving mail can go to another address.' : `To ${forward.to}`}
                      {forward.enabled && forward.until && (
                        <>
                          , until <Time at={forward.until} />
                        </>
                      )}
                    </p>
                    {forward.paused_because !== null && <p>{forward.paused_because}</p>}
                  </div>
                  {mayChange && <Button onPress={() => ask('forward')}>Change forwarding</Button>}
                </div>
              )}
              <div className={styles.half}>
                <div>
                  <strong>Auto-reply</strong>{' '}
                  <Status is={reply.enabled ? 'good' : 'plain'}>{reply.enabled ? 'On' : 'Off'}</Status>
                  <p>{reply.body || 'Senders can get an automatic answer.'}</p>
                  {reply.enabled && reply.until && (
                    <p>
                      Until <Time at={reply.until} />
                    </p>
                  )}
                </div>
                {mayChange && <Button onPress={() => ask('reply')}>Change auto-reply</Button>}
              </div>
              {asked === 'forward' && <ForwardingForm address={address} forward={forward} onClose={close} />}
              {asked === 'reply' && <AutoReplyForm address={address} reply={reply} onClose={close} />}
            </>
          )}
        </Loaded>
      </Card>
    </Section>
  )
}
