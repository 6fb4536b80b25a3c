import { Button } from '../form/button.tsx'

interface Props {
  /** A query of a list that is read part by part. */
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
  readonly name?: string
}

/** Loads the next part of a list, if there is one. */
export function ShowMore({ query, name = 'Show more' }: Props) {
  if (!query.hasNextPage) return null
  return (
    <div>
      <Button isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
        {name}
      </Button>
    </div>
  )
}
