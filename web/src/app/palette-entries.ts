import { useQueries, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import type { Me } from '../api/generated.ts'
import { type AnyLabel, labelsQuery, labelText } from '../pages/labels/queries.ts'
import { foldersQuery } from '../pages/mail/queries.ts'
import { mailboxesQuery } from '../pages/mailboxes/queries.ts'
import { webhooksQuery } from '../pages/webhooks/queries.ts'
import { readyNow, want } from '../parts/actions/offered.ts'
import { folderName } from '../parts/text/folder-name.ts'
import { may } from '../session/may.ts'
import { buttonsNow } from './buttons-now.ts'
import { pageActions, pages } from './navigation.ts'

/** A place to go to, or something to do. */
interface Entry {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly shortcut?: string
  readonly label?: AnyLabel
  readonly run: () => void
}

/** All that the palette offers: what can be done here first, and the buttons of the page's rows last. */
export function useEntries(me: Me): Entry[] {
  const router = useRouter()
  const [actions] = useState(readyNow)
  const [buttons] = useState(buttonsNow)
  const readable = me.mailboxes.filter(({ kind }) => kind === 'smart')
  const folders = useQueries({ queries: readable.map(({ address }) => foldersQuery(address)) })
  const labels = useQuery(labelsQuery).data ?? []
  const mailboxes = useQuery({ ...mailboxesQuery, enabled: may(me, 'mailboxes:read') }).data?.data ?? []
  const webhooks = useQuery({ ...webhooksQuery, enabled: may(me, 'webhooks:read') }).data?.data ?? []
  const to = (href: string, name: string, kind: string) => ({
    ...{ id: `${kind} ${href}`, name, kind },
    run: () => router.history.push(href),
  })
  const taken = new Set(actions.map(({ name }) => name))
  const onPage = (inRows: boolean) =>
    buttons
      .filter((button) => button.inRows === inRows && !taken.has(button.name))
      .map(({ name, run }) => ({ id: `Button ${name}`, name, kind: 'On this page', run }))
  return [
    ...actions.map(({ name, shortcut, do: run }) => ({
      ...{ id: name, name, kind: 'Action', run },
      ...(shortcut && { shortcut }),
    })),
    ...onPage(false),
    ...readable.flatMap(({ address }, index) =>
      (folders[index]?.data?.data ?? []).map(({ name }) =>
        to(`/mail/${encodeURIComponent(address)}/${encodeURIComponent(name)}`, folderName(name), address),
      ),
    ),
    ...me.mailboxes
      .filter(({ kind }) => kind === 'private')
      .map(({ address }) => to(`/mail/${encodeURIComponent(address)}/inbox`, 'Private mailbox', address)),
    ...pages.filter(({ needs }) => may(me, needs)).map((page) => to(page.to, page.title, 'Page')),
    to('/profile', 'Your profile', 'Page'),
    ...pageActions
      .filter(({ name, needs }) => may(me, needs) && !taken.has(name))
      .map(({ to: page, name }) => ({ ...to(page, name, 'Action'), id: name, run: () => goAndDo(page, name) })),
    ...mailboxes.map(({ address }) => to(`/mailboxes/${encodeURIComponent(address)}`, address, 'Mailbox')),
    ...webhooks.map(({ id, name, url }) => to(`/webhooks/${id}`, name || url, 'Webhook')),
    ...labels.map((label) => ({
      ...to(`/search?q=${encodeURIComponent(`label:${label.keyword}`)}`, labelText(label), 'Messages with this label'),
      label,
    })),
    ...onPage(true),
  ]

  function goAndDo(page: string, name: string): void {
    want(name)
    router.history.push(page)
  }
}
