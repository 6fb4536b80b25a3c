import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { memo, useEffect, useMemo, useRef } from 'react'
import { Toolbar } from 'react-aria-components/Toolbar'
import type { ThreadWithMessages } from '../../api/generated.ts'
import { ActionButtons } from '../../parts/actions/action-buttons.tsx'
import { useActions } from '../../parts/actions/use-actions.ts'
import { useSettled } from '../../parts/form/use-settled.ts'
import { afterPaint } from '../../parts/state/after-paint.ts'
import { Loaded } from '../../parts/state/loaded.tsx'
import { plain } from '../../parts/text/plain.ts'
import { ActionBar } from './actions/action-bar.tsx'
import { markRead } from './actions/perform.ts'
import { subjectOf } from './actions/subject.ts'
import { readingActions } from './actions/table.ts'
import { useAnswers } from './actions/use-answers.ts'
import { useMayChange } from './actions/use-may-change.ts'
import { conversationInList, rowWith } from './cached.ts'
import styles from './conversation.module.css'
import { LabelChips } from './label-chips.tsx'
import { neighbour } from './list/neighbour.ts'
import { MessageCard } from './message/message-card.tsx'
import type { Place } from './place.ts'
import { Presence } from './presence/presence.tsx'
import { conversationQuery, whereQuery } from './queries.ts'

/** Whether the list is beside the conversation, as in the styles. */
const isWide = () => window.matchMedia('(width >= 80rem)').matches

/** The conversation that has a message, in the folder where that is. */
export function Conversation() {
  const { message, mailbox, folder } = useParams({ from: '/signed-in/mail/$mailbox/$folder/$message' })
  const place = useMemo(() => ({ mailbox, folder }), [mailbox, folder])
  const navigate = useNavigate()
  const row = rowWith(place, message)
  const where = useQuery({ ...whereQuery(mailbox, message), enabled: row === undefined })
  const found = row ? { folder, thread_id: row.id } : where.data
  const moved = found && found.folder !== folder ? found.folder : undefined
  useEffect(() => {
    if (moved === undefined) return
    void navigate({ to: '/mail/$mailbox/$folder/$message', params: { mailbox, folder: moved, message }, replace: true })
  }, [navigate, mailbox, moved, message])
  const thread = moved === undefined ? found?.thread_id : undefined
  if (thread) return <OpenConversation place={place} thread={thread} message={message} />
  return (
    <Loaded query={where} what="the conversation">
      {() => null}
    </Loaded>
  )
}

interface OpenProps {
  readonly place: Place
  readonly thread: string
  /** The one that the address names. */
  readonly message: string
}

/** A conversation, with its actions. */
function OpenConversation({ place, thread, message }: OpenProps) {
  const settled = useSettled(thread)
  // Data from the list is shown at once. It is refreshed if the list is old.
  const known = useMemo(() => conversationInList(place, thread), [place, thread])
  const query = useQuery({
    ...conversationQuery(place, thread),
    ...(known && { initialData: known.conversation, initialDataUpdatedAt: known.at, enabled: settled !== undefined }),
  })
  const navigate = useNavigate()
  const region = useRef<HTMLElement>(null)
  // Focusing it earlier would lay out the page twice: again once the list has its new width.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the keyboard goes on from each conversation that is opened
  useEffect(() => afterPaint(() => region.current?.focus()), [thread])
  const goTo = (id: string | undefined) =>
    id === undefined
      ? void navigate({ to: '/mail/$mailbox/$folder', params: place })
      : void navigate({ to: '/mail/$mailbox/$folder/$message', params: { ...place, message: id } })
  const step = (by: number) => {
    const next = neighbour(place, message, by)
    if (next !== undefined) goTo(next)
  }
  const reading = useActions(readingActions, { step, back: () => goTo(undefined) })
  const answers = useAnswers(place, query.data?.messages.at(-1)?.id)
  const subject =
    query.data && subjectOf({ id: thread, ids: query.data.messages.map(({ id }) => id) }, query.data.messages)
  return (
    <article ref={region} tabIndex={-1} className={styles.conversation} aria-label="Conversation">
      <div className={styles.bar}>
        <ActionButtons actions={reading} only={['Back to the list']} />
        <ActionBar
          place={place}
          subjects={subject ? [subject] : []}
          onLeave={() => goTo(isWide() ? (neighbour(place, message, 1) ?? neighbour(place, message, -1)) : undefined)}
        />
        {answers.length > 0 && (
          <Toolbar aria-label="Answers">
            <ActionButtons actions={answers} />
          </Toolbar>
        )}
        <span className={styles.space} />
        <span className={styles.print}>
          <ActionButtons actions={reading} only={['Print']} />
        </span>
        <ActionButtons actions={reading} only={['Newer conversation', 'Older conversation']} />
      </div>
      {settled !== undefined && <Presence place={place} conversation={settled} />}
      <Loaded query={query} what="the conversation">
        {(data) => <Messages key={thread} place={place} conversation={data} />}
      </Loaded>
    </article>
  )
}

interface MessagesProps {
  readonly place: Place
  readonly conversation: ThreadWithMessages
}

const Messages = memo(function Messages({ place, conversation: { subject, messages } }: MessagesProps) {
  // Messages that were unread when the conversation was opened are shown expanded, though they count as read from then on.
  const fresh = useRef<ReadonlySet<string>>(new Set(messages.filter(({ unread }) => unread).map(({ id }) => id)))
  const shown = useRef(new Set<string>())
  const mayChange = useMayChange(place.mailbox)
  useEffect(() => {
    if (!mayChange) return
    const ids = messages.flatMap(({ id, unread }) => (unread && !shown.current.has(id) ? [id] : []))
    if (ids.length === 0) return
    // They are painted first: what follows takes as long again.
    return afterPaint(() => {
      for (const id of ids) shown.current.add(id)
      void markRead(place, ids)
    })
  })
  const newest = messages.at(-1)?.id
  return (
    <div className={styles.messages}>
      <h1 className={styles.subject}>
        <bdi>{plain(subject) || '(no subject)'}</bdi>
        <LabelChips keywords={messages.flatMap(({ labels }) => labels)} />
      </h1>
      {messages.map((message) => (
        <MessageCard
          key={message.id}
          place={place}
          message={message}
          mayChange={mayChange}
          startsOpen={message.id === newest || fresh.current.has(message.id)}
        />
      ))}
    </div>
  )
})
