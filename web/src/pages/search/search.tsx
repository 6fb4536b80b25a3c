import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { Form } from 'react-aria-components/Form'
import { Input } from 'react-aria-components/Input'
import { SearchField } from 'react-aria-components/SearchField'
import { ApiError } from '../../api/call.ts'
import { searchMessages } from '../../api/generated.ts'
import { useActions } from '../../parts/actions/use-actions.ts'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { ShowMore } from '../../parts/page/show-more.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Failure } from '../../parts/state/failure.tsx'
import { searchActions } from './actions.ts'
import { Found } from './found.tsx'
import styles from './search.module.css'

/** Searches all mailboxes that the member reads. */
export function Search() {
  const { q = '' } = useSearch({ from: '/signed-in/search' })
  const query = useInfiniteQuery({
    queryKey: ['search', q],
    queryFn: ({ pageParam, signal }) =>
      searchMessages({ q, ...(pageParam !== null && { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    enabled: q !== '',
  })
  const found = query.data?.pages.flatMap(({ data }) => data) ?? []
  const list = useRef<HTMLUListElement>(null)
  const step = (by: number) => {
    const results = [...(list.current?.querySelectorAll('button') ?? [])]
    const at = results.findIndex((one) => one.matches(':focus'))
    results[at < 0 ? 0 : Math.max(0, at + by)]?.focus()
  }
  useActions(searchActions, step)
  const mistake = query.error instanceof ApiError && query.error.field === 'q' ? query.error.message : undefined
  return (
    <Page title="Search">
      <SearchForm key={q} q={q} />
      {mistake !== undefined && (
        <p role="alert" className={styles.mistake}>
          {mistake}.
        </p>
      )}
      {query.error && mistake === undefined && (
        <Failure error={query.error} what="what was found" again={() => void query.refetch()} />
      )}
      {q === '' && <Hints />}
      {query.data && (
        <Card>
          {found.length === 0 && !query.hasNextPage ? (
            <Empty
              title="Nothing was found"
              about={
                query.data.pages.some(({ indexing }) => indexing)
                  ? 'Some messages are not indexed yet: try again in a while.'
                  : 'Junk and trash are left out: in:anywhere looks there too.'
              }
            />
          ) : (
            <ul ref={list} aria-label="Messages that were found">
              {found.map((message) => (
                <li key={message.id}>
                  <Found message={message} />
                </li>
              ))}
            </ul>
          )}
        </Card>
      )}
      <ShowMore query={query} />
    </Page>
  )
}

function SearchForm({ q }: { q: string }) {
  const navigate = useNavigate()
  const [typed, type] = useState(q)
  return (
    <Form
      className={`${styles.form}`}
      onSubmit={(event) => {
        event.preventDefault()
        void navigate({ to: '/search', search: { q: typed.trim() }, replace: true })
      }}
    >
      <SearchField
        aria-label="What to look for"
        defaultValue={q}
        onChange={type}
        autoFocus
        className={`${styles.field}`}
      >
        <Input className={`${styles.input}`} placeholder="from:ann engine -is:read" />
      </SearchField>
      <Button type="submit" look="primary" isDisabled={typed.trim() === ''}>
        Search
      </Button>
    </Form>
  )
}

const hints = [
  ['engine mill', 'both words'],
  ['"the difference engine"', 'these words in this order'],
  ['from:ann', 'what Ann wrote'],
  ['has:attachment newer_than:7d', 'with an attachment, of the last week'],
  ['is:unread in:archive', 'unread in the archive'],
] as const

function Hints() {
  return (
    <ul className={styles.hints} aria-label="Examples">
      {hints.map(([q, what]) => (
        <li key={q}>
          <Link to="/search" search={{ q }}>
            <code>{q}</code>
          </Link>{' '}
          {what}
        </li>
      ))}
    </ul>
  )
}
