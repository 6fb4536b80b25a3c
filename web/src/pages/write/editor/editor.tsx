import type { Node } from 'prosemirror-model'
import { EditorState, Selection } from 'prosemirror-state'
import { EditorView } from 'prosemirror-view'
import { useEffect, useRef, useState } from 'react'
import { docOf, htmlOf, textOf } from './convert.ts'
import styles from './editor.module.css'
import { EditorToolbar } from './editor-toolbar.tsx'
import { PictureView } from './picture-view.ts'
import { plugins } from './plugins.ts'

interface Props {
  /** Its name for screen readers. */
  readonly label?: string
  /** Its initial contents. */
  readonly html: string
  /** The place of a picture on this device, by its Content-ID. */
  readonly pictureUrl: (cid: string) => Promise<string | undefined>
  readonly onChange: (content: { html: string; text: string }) => void
  /** Accepts pasted and dropped files. Answers the pictures that become part of the text. */
  readonly onFiles: (files: readonly globalThis.File[]) => Promise<readonly { cid: string; name: string }[]>
  readonly takesFocus: boolean
}

/** Text with formatting. */
export default function Editor({ label = 'Message', html, takesFocus, ...props }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const [view, setView] = useState<EditorView>()
  const [, redraw] = useState<EditorState>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is in it at first
  useEffect(() => {
    const made = new EditorView(place.current, {
      state: EditorState.create({ doc: docOf(html), plugins: plugins() }),
      attributes: { role: 'textbox', 'aria-multiline': 'true', 'aria-label': label, class: `${styles.text}` },
      nodeViews: { image: (node) => new PictureView(node, (cid) => latest.current.pictureUrl(cid)) },
      dispatchTransaction(transaction) {
        const state = made.state.apply(transaction)
        made.updateState(state)
        redraw(state)
        if (transaction.docChanged) latest.current.onChange(contentOf(state.doc))
      },
      handlePaste: (_view, event) => takeFiles(made, event.clipboardData, latest.current.onFiles),
      handleDrop: (_view, event, _slice, moved) =>
        !moved && takeFiles(made, event.dataTransfer, latest.current.onFiles),
    })
    if (takesFocus) {
      // The quotation is below, so one writes above it.
      made.dispatch(made.state.tr.setSelection(Selection.atStart(made.state.doc)))
      made.focus()
    }
    setView(made)
    return () => made.destroy()
  }, [])
  return (
    <div className={styles.editor}>
      {view && <EditorToolbar view={view} />}
      <div ref={place} className={styles.place} />
    </div>
  )
}

const contentOf = (doc: Node) => ({ html: htmlOf(doc), text: textOf(doc) })

/** Accompanying text has precedence: office programs paste it together with a picture of it. */
function takeFiles(view: EditorView, data: DataTransfer | null, onFiles: Props['onFiles']): boolean {
  const files = [...(data?.files ?? [])]
  if (files.length === 0 || data?.types.includes('text/html') || data?.types.includes('text/plain')) return false
  void onFiles(files).then((pictures) => {
    for (const { cid, name } of pictures) {
      const node = view.state.schema.nodes.image?.create({ cid, alt: name })
      if (node) view.dispatch(view.state.tr.replaceSelectionWith(node).scrollIntoView())
    }
  })
  return true
}
