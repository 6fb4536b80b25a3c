import purifier from 'dompurify'
import { liftStyles } from './lift-styles.ts'
import { StyleSheet } from './mail-styles.ts'
import { RemotePictures } from './picture-places.ts'

export interface Sanitized {
  /** Without active elements and attributes. Its styles are in `css`; only links in it name other hosts. */
  readonly body: HTMLElement
  readonly css: string
  /** The number of remote pictures that are left out. */
  readonly leftOut: number
  /** The addresses of those that can be seen, as in the HTML. */
  readonly remote: readonly string[]
}

const forbidden = [
  ...['form', 'input', 'button', 'select', 'option', 'optgroup', 'textarea', 'fieldset', 'datalist', 'output', 'label'],
  ...['audio', 'video', 'source', 'track', 'picture', 'dialog', 'template', 'slot', 'map', 'area', 'meter', 'progress'],
]

/** Values of attributes: addresses of these kinds, and texts that are no addresses. */
const harmless = /^(?:(?:https?|mailto|tel|cid|data):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i

const linkable = /^(?:https?|mailto|tel):/i
const picture = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);/i

/** Removes from untrusted HTML all that acts, loads, or leads anywhere but to a page on request. Addresses of pictures are
 *  replaced by `data:` URLs: of the message's `own` by Content-ID, of `fetched` ones by address. The result is in a document
 *  of its own without a window. */
export function sanitize(
  html: string,
  own: ReadonlyMap<string, string>,
  fetched: ReadonlyMap<string, string> = new Map(),
): Sanitized {
  const lifted = liftStyles(html)
  const root = purifier.sanitize(lifted.html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: [...forbidden, 'style'],
    ADD_ATTR: ['data-own-style'],
    FORBID_ATTR: [
      'style',
      'srcset',
      'ping',
      'action',
      'formaction',
      'poster',
      'nonce',
      'usemap',
      'autofocus',
      'tabindex',
      'popover',
    ],
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    WHOLE_DOCUMENT: true,
    RETURN_DOM: true,
    ALLOWED_URI_REGEXP: harmless,
    ADD_URI_SAFE_ATTR: ['data-own-style'],
  })
  if (!(root instanceof HTMLElement)) throw new Error('The sanitizer answered no element')
  const body = root.querySelector('body') ?? root
  const remote = new RemotePictures(fetched)
  const styles = new StyleSheet(remote)
  for (const css of lifted.css) styles.add(css)
  for (const element of [body, ...body.querySelectorAll<HTMLElement>('*')]) {
    if (element.localName === 'a') mendLink(element)
    if (element.localName === 'img') mendPicture(element, own, remote)
    mendBackground(element, remote)
    const style = element.getAttribute('data-own-style')
    if (style !== null) styles.move(element, style)
  }
  return { body, css: styles.text(), leftOut: remote.leftOut, remote: [...remote.addresses] }
}

/** A link opens in another tab, which learns nothing of this one. */
function mendLink(link: Element): void {
  const href = link.getAttribute('href')?.trim() ?? ''
  link.removeAttribute('name')
  if (!linkable.test(href)) {
    link.removeAttribute('href')
    return
  }
  link.setAttribute('target', '_blank')
  link.setAttribute('rel', 'noopener noreferrer nofollow')
  link.setAttribute('title', href)
}

/** A missing picture is replaced by its text. */
function mendPicture(image: Element, own: ReadonlyMap<string, string>, remote: RemotePictures): void {
  const source = image.getAttribute('src')?.trim() ?? ''
  image.removeAttribute('src')
  const shown = /^cid:/i.test(source) ? own.get(decoded(source.slice(4))) : inPlaceOf(image, source, remote)
  if (shown !== undefined && picture.test(shown)) image.setAttribute('src', shown)
}

function inPlaceOf(image: Element, source: string, remote: RemotePictures): string | undefined {
  if (source === '' || /^data:/i.test(source)) return source
  return isSeen(image) ? remote.take(source) : remote.leave()
}

/** Smaller ones only report to the sender that a message is read. */
const isSeen = (image: Element) =>
  !['width', 'height'].some((side) => Number.parseFloat(image.getAttribute(side) ?? '') <= 2)

/** Turns the attribute into a style, which overrides sheets as any attribute does. */
function mendBackground(element: Element, remote: RemotePictures): void {
  const source = element.getAttribute('background')
  if (source === null) return
  element.removeAttribute('background')
  const shown = remote.take(source.trim())
  if (shown === undefined) return
  const style = element.getAttribute('data-own-style') ?? ''
  element.setAttribute('data-own-style', `background-image:url("${shown}");${style}`)
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
