import { contentOf } from '../saving/device.ts'
import type { File } from '../writing.ts'

const urls = new Map<string, Promise<string>>()

/** The URL from which a picture of the text is shown. */
export async function pictureUrl(files: readonly File[], cid: string): Promise<string | undefined> {
  const file = files.find((one) => one.cid === cid)
  if (!file) return undefined
  const url = urls.get(file.id) ?? contentOf(file.id).then((content) => URL.createObjectURL(content))
  urls.set(file.id, url)
  return url
}
