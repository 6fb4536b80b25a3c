import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Signature } from '../../api/generated.ts'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { meQuery } from '../../session/me.ts'
import { Frame } from '../mail/html/frame.tsx'
import { frameDocument } from '../mail/html/frame-document.ts'
import { pageNonce } from '../mail/html/nonce.ts'
import { sanitize } from '../mail/html/sanitize.ts'
import { linesAsHtml } from '../write/beginning/quote.ts'
import { signaturesQuery } from '../write/beginning/signature-queries.ts'
import { sendersOf } from '../write/writing.ts'
import { SignatureForm } from './signature-form.tsx'
import styles from './signatures.module.css'

/** The signatures of the mailboxes that the member writes from; nothing without such a mailbox. */
export default function Signatures() {
  const me = useQuery(meQuery).data
  const query = useQuery(signaturesQuery)
  const [asked, ask] = useState<string>()
  const senders = me ? sendersOf(me) : []
  if (senders.length === 0) return null
  return (
    <Section
      title="Signatures"
      about="What your messages end with, above what they quote. Each mailbox that you write from has its own; nobody else uses yours."
    >
      <Card>
        <Loaded query={query} what="your signatures">
          {({ data }) => (
            <>
              <ul>
                {senders.map(({ address }) => {
                  const signature = data.find(({ mailbox }) => mailbox === address)
                  return (
                    <li key={address} className={styles.signature}>
                      <div className={styles.mailbox}>
                        <strong>{address}</strong>
                        <Button
                          aria-label={
                            signature ? `Edit the signature for ${address}` : `Add a signature for ${address}`
                          }
                          onPress={() => ask(address)}
                        >
                          {signature ? 'Edit' : 'Add'}
                        </Button>
                      </div>
                      {signature && <Shown signature={signature} />}
                    </li>
                  )
                })}
              </ul>
              {asked !== undefined && (
                <SignatureForm
                  mailbox={asked}
                  signature={data.find(({ mailbox }) => mailbox === asked)}
                  onClose={() => ask(undefined)}
                />
              )}
            </>
          )}
        </Loaded>
      </Card>
    </Section>
  )
}

/** It may have been written elsewhere, so it is shown as untrusted HTML. */
function Shown({ signature: { mailbox, text, html } }: { signature: Signature }) {
  const shown = useMemo(
    () => frameDocument(sanitize(html ?? linesAsHtml(text), new Map()), pageNonce()).html,
    [html, text],
  )
  return <Frame html={shown} title={`Signature for ${mailbox}`} />
}
