import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { resumeMailbox, suspendMailbox } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { size } from '../../parts/text/size.ts'
import { Status } from '../../parts/text/status.tsx'
import { useMay } from '../../session/may.ts'
import { meQuery } from '../../session/me.ts'
import { mailboxesQuery } from '../mailboxes/queries.ts'
import { Access } from './access.tsx'
import { DeleteMailbox } from './delete-mailbox.tsx'
import { ForwardingAndReply } from './forwarding-and-reply.tsx'
import styles from './mailbox.module.css'
import { mailboxQuery } from './queries.ts'

/** A mailbox: its state, who may use it, and where its mail goes. */
export function MailboxPage() {
  const { address } = useParams({ from: '/signed-in/mailboxes/$address' })
  const query = useQuery(mailboxQuery(address))
  const me = useQuery(meQuery)
  const used = me.data?.mailboxes.find((mailbox) => mailbox.address === address)
  const mayManage = useMay('manage_mailboxes')
  const [asked, ask] = useState<'suspend' | 'delete'>()
  const close = () => ask(undefined)
  const suspended = query.data?.suspended ?? false
  return (
    <Page
      title={address}
      about={query.data?.name || undefined}
      actions={
        mayManage &&
        query.data && (
          <div className={styles.actions}>
            <Button onPress={() => ask('suspend')}>{suspended ? 'Resume' : 'Suspend'}</Button>
            <Button look="danger" onPress={() => ask('delete')}>
              Delete
            </Button>
          </div>
        )
      }
    >
      <Loaded query={query} what="the mailbox">
        {({ kind, aliases, storage_used_bytes }) => (
          <>
            <p>
              <Status is={suspended ? 'bad' : 'good'}>{suspended ? 'Suspended' : 'Active'}</Status>{' '}
              {kind === 'private' && <Status is="plain">Private</Status>} {size(storage_used_bytes)}
              {aliases.length > 0 && `, also ${aliases.join(', ')}`}
            </p>
            {used && (
              <p>
                <Link to="/mail/$mailbox/$folder" params={{ mailbox: address, folder: 'inbox' }}>
                  Open its inbox
                </Link>
              </p>
            )}
            {kind === 'smart' && <Access address={address} />}
            {used ? (
              <ForwardingAndReply address={address} level={used.level} forwards={kind === 'smart'} />
            ) : (
              me.data && <NotShown />
            )}
          </>
        )}
      </Loaded>
      {asked === 'suspend' && (
        <ActionDialog
          title={suspended ? `Resume ${address}?` : `Suspend ${address}?`}
          about={
            suspended
              ? 'It receives and sends mail again.'
              : 'It receives and sends no mail until it is resumed, and mail programs are signed out. It can still be read here.'
          }
          action={suspended ? 'Resume' : 'Suspend'}
          danger={!suspended}
          changes={[mailboxesQuery.queryKey]}
          onSubmit={() => (suspended ? resumeMailbox(address) : suspendMailbox(address))}
          onClose={close}
        />
      )}
      {asked === 'delete' && <DeleteMailbox address={address} onClose={close} />}
    </Page>
  )
}

function NotShown() {
  return (
    <Section title="Forwarding and auto-reply">
      <p>
        Only members who may read the mailbox see these, whatever their role. It is neither yours nor shared with you.
      </p>
    </Section>
  )
}
