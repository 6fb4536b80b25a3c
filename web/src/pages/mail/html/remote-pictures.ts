import { getFetchMessagePictureUrl } from '../../../api/generated.ts'
import { dataUrl } from './data-url.ts'

const atOnce = 6
/** Octets of all pictures of a message. More would slow down the page. */
const mostTogether = 25_000_000

/** Remote pictures, fetched by the service, by address. Without those that cannot be fetched. */
export async function remotePictures(
  id: string,
  addresses: readonly string[],
  onDone: (count: number) => void,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const waiting = addresses.values()
  let octets = 0
  let done = 0
  async function fetchNext(): Promise<void> {
    for (const url of waiting) {
      const answer = await fetch(getFetchMessagePictureUrl(id, { url })).catch(() => undefined)
      const picture = answer?.ok ? await answer.blob() : undefined
      octets += picture?.size ?? 0
      if (picture && octets <= mostTogether) found.set(url, await dataUrl(picture))
      onDone(++done)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, fetchNext))
  return found
}
