import purifier from 'dompurify'
import { liftStyles } from './lift-styles.ts'
import { StyleSheet } from './mail-styles.ts'
import { RemotePictures } from './picture-places.ts'

export interface Sanitized {
  /** Without elements and attributes that do anything. Its styles are in `css`; nothing in it names another host but links. */
  readonly body: HTMLElement
  readonly css: string
  /** How many pictures are left out: they lie elsewhere. */
  readonly leftOut: number
  /** The addresses of those that can be seen, as the HTML has them. */
  readonly remote: readonly string[]
}

const forbidden = [
  ...['form', 'input', 'button', 'select', 'option', 'optgroup', 'textarea', 'fieldset', 'datalist', 'output', 'label'],
  ...['audio', 'video', 'source', 'track', 'picture', 'dialog', 'template', 'slot', 'map', 'area', 'meter', 'progress'],
]

/** Values of attributes: addresses of these kinds, and whatever is no address. */
const harmless = /^(?:(?:https?|mailto|tel|cid|data):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i

const linkable = /^(?:https?|mailto|tel):/i
const picture = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);/i

/** Takes all from a stranger's HTML that acts, loads, or leads anywhere but to a page that is asked for. In place of
 *  pictures' addresses stand `data:` URLs: of the message's `own` by Content-ID, of those that were `fetched` by address. What is made
 *  is in a document of its own that has no window. */
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

/** A link opens a page of its own, which learns nothing of this one. */
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

/** Where a picture is not there, its text stands in its place. */
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

/** Smaller ones only tell their sender that a message is read. */
const isSeen = (image: Element) =>
  !['width', 'height'].some((side) => Number.parseFloat(image.getAttribute(side) ?? '') <= 2)

/** The attribute becomes a style, which is stronger than those of sheets, as is any attribute's. */
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
