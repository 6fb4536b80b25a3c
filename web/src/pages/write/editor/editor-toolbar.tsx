import type { EditorView } from 'prosemirror-view'
import { useState } from 'react'
import { ToggleButton } from 'react-aria-components/ToggleButton'
import { Toolbar } from 'react-aria-components/Toolbar'
import { readyOf } from '../../../parts/actions/action.ts'
import button from '../../../parts/form/icon-button.module.css'
import { Icon } from '../../../parts/icon.tsx'
import { tip } from '../../../parts/state/tips.tsx'
import { textActions } from './actions.ts'
import { LinkDialog } from './link-dialog.tsx'
import { schema } from './schema.ts'

/** Buttons that are pressed where their formatting is. */
export function EditorToolbar({ view }: { view: EditorView }) {
  const [asksLink, askLink] = useState(false)
  const { state } = view
  return (
    <Toolbar aria-label="Formatting">
      {readyOf(textActions, { view, askLink: () => askLink(true) }).map(({ name, icon, shortcut, isOn, ...action }) => (
        <ToggleButton
          key={name}
          {...tip(name, shortcut)}
          className={`${button.button}`}
          isSelected={isOn}
          onChange={action.do}
        >
          {icon && <Icon name={icon} />}
        </ToggleButton>
      ))}
      {asksLink && (
        <LinkDialog
          text={state.doc.textBetween(state.selection.from, state.selection.to)}
          onLink={(href, text) => {
            const node = schema.text(text, [schema.marks.link.create({ href })])
            view.dispatch(view.state.tr.replaceSelectionWith(node, false).scrollIntoView())
          }}
          onClose={() => {
            askLink(false)
            // The dialog first returns the focus to the button.
            setTimeout(() => view.focus())
          }}
        />
      )}
    </Toolbar>
  )
}
