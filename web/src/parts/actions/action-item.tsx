import { MenuItem } from 'react-aria-components/Menu'
import styles from '../form/menu.module.css'
import type { Ready } from './action.ts'

/** An action in a menu. */
export function ActionItem({ action }: { readonly action: Ready }) {
  return (
    <MenuItem className={`${styles.item}`} onAction={action.do}>
      {action.short ?? action.name}
    </MenuItem>
  )
}
