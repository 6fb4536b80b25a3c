import { DOMSerializer, type Node, DOMParser as Reader } from 'prosemirror-model'
import { quoteLines } from '../../../../../src/out/replies/quote-lines.ts'
import { liftStyles } from '../../mail/html/lift-styles.ts'
import { schema } from './schema.ts'

/** Parses HTML in a document without a window: nothing in it runs or loads. */
export function docOf(html: string): Node {
  const { body } = new DOMParser().parseFromString(liftStyles(html).html, 'text/html')
  // An empty line has its height by that alone (`htmlOf`).
  for (const line of body.querySelectorAll('div > br')) if (line.parentNode?.childNodes.length === 1) line.remove()
  return Reader.fromSchema(schema).parse(body)
}

export function htmlOf(doc: Node): string {
  const { body } = document.implementation.createHTMLDocument()
  body.append(DOMSerializer.fromSchema(schema).serializeFragment(doc.content, { document: body.ownerDocument }))
  // A line without contents has no height in a mail program.
  for (const line of body.querySelectorAll('div:empty')) line.append(body.ownerDocument.createElement('br'))
  return body.innerHTML
}

/** The same for mail programs that show plain text. */
export function textOf(doc: Node): string {
  // The separator above a signature ends in a space (RFC 3676, section 4.3), which HTML preserves only as a no-break space.
  return blocks(doc)
    .replace(/\n+$/, '')
    .replace(/^--\u00a0$/gm, '-- ')
}

function blocks(node: Node): string {
  const parts: string[] = []
  node.forEach((child, _offset, index) => {
    const { type } = child
    if (type === schema.nodes.paragraph) parts.push(inline(child))
    else if (type === schema.nodes.blockquote) parts.push(quoteLines(blocks(child).trimEnd()))
    else if (type === schema.nodes.list_item) {
      const start = node.type === schema.nodes.ordered_list ? `${Number(node.attrs.order) + index}. ` : '- '
      parts.push(start + blocks(child).replaceAll('\n', `\n${' '.repeat(start.length)}`))
    } else parts.push(blocks(child))
  })
  return parts.join('\n')
}

function inline(paragraph: Node): string {
  let text = ''
  paragraph.forEach((child) => {
    if (child.type === schema.nodes.hard_break) text += '\n'
    else if (child.type === schema.nodes.image) text += `[${child.attrs.alt || 'picture'}]`
    else text += withAddress(child)
  })
  return text
}

/** A link with another text has its address beside it. */
function withAddress({ text = '', marks }: Node): string {
  const href = String(marks.find(({ type }) => type === schema.marks.link)?.attrs.href ?? '')
  return href === '' || href === text || href === `mailto:${text}` ? text : `${text} <${href}>`
}
