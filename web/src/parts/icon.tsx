const strokes = {
  add: 'M12 5v14M5 12h14',
  approve: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8 12.5l3 3 5-6',
  archive: 'M3 5h18v4H3zM5 9v10h14V9M10 13h4',
  attachment: 'M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 5 5l-8.5 8.5a1.7 1.7 0 0 1-2.5-2.5l7.5-7.5',
  audit: 'M6 3h12v18H6zM9 8h6M9 12h6M9 16h4',
  back: 'M15 5l-7 7 7 7',
  block: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM5.6 5.6l12.8 12.8',
  bold: 'M8 5h5.5a3.5 3.5 0 0 1 0 7H8zM8 12h6.5a3.5 3.5 0 0 1 0 7H8z',
  bullets: 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  check: 'M5 12.5l4.5 4.5L19 7',
  close: 'M6 6l12 12M18 6L6 18',
  delete: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  domain: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3 3 3.5 6 3.5 9s-.5 6-3.5 9c-3-3-3.5-6-3.5-9S9 6 12 3z',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  erase: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M9.5 11l5 5M14.5 11l-5 5',
  filter: 'M4 5h16l-6 8v6l-4-2v-4z',
  folder: 'M3 6h6l2 2h10v11H3z',
  format: 'M4 6h11M9.5 6v13M14 12h7M17.5 12v7',
  forward: 'M14 6l6 6-6 6M20 12H9a5 5 0 0 0-5 5v2',
  inbox: 'M3 13l3-8h12l3 8v6H3zM3 13h5l1.5 3h5l1.5-3h5',
  italic: 'M10 5h8M6 19h8M14.5 5l-5 14',
  junk: 'M12 4l9 16H3zM12 10v5M12 17.5v.5',
  key: 'M8 19a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM11.2 11.3L20 3M16 6.8l3 3',
  label: 'M4 4h8l8 8-8 8-8-8zM8 8h.01',
  link: 'M10 14l4-4M11 7l2-2a4.2 4.2 0 0 1 6 6l-2 2M13 17l-2 2a4.2 4.2 0 0 1-6-6l2-2',
  members:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14.2a6.5 6.5 0 0 1 3.5 5.8',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  next: 'M6 9l6 6 6-6',
  numbers: 'M10 6h10M10 12h10M10 18h10M4 4.5l1.5-.5v5M4 14h2.5L4 18h2.5',
  overview: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 21a7.5 7.5 0 0 1 15 0',
  previous: 'M6 15l6-6 6 6',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
  quote: 'M5 16c3-1 4-3 4-6V7H4v5h5M14 16c3-1 4-3 4-6V7h-5v5h5',
  read: 'M3 10l9-6 9 6v10H3zM3 10l9 6 9-6',
  reply: 'M10 6l-6 6 6 6M4 12h11a5 5 0 0 1 5 5v2',
  reply_all: 'M12 7l-5 5 5 5M7 7l-5 5 5 5M7 12h9a5 5 0 0 1 5 5v2',
  scheduled: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.5 2',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L21 21',
  sent: 'M21 3L3 10.5l7 3.5 3.5 7zM10 14l5-5',
  star: 'M12 3.5l2.6 5.6 6.1.8-4.5 4.2 1.2 6.1-5.4-3-5.4 3 1.2-6.1-4.5-4.2 6.1-.8z',
  underline: 'M7 4v7a5 5 0 0 0 10 0V4M5 20h14',
  suppressed: 'M3 6h18v13H3zM3 7l9 7 9-7M5 21L19 3',
  undo: 'M4 5v5h5M4.5 10A8 8 0 1 1 4 13.5',
  unread: 'M3 6h18v13H3zM3 7l9 7 9-7',
  webhook: 'M13 3L5 13.5h6L10 21l9-11h-6z',
  write: 'M4 20l1-5L16 4l4 4L9 19zM14 6l4 4',
} as const

export type IconName = keyof typeof strokes

/** An icon beside a name, or on a button with one: screen readers skip it. */
export function Icon({ name, filled = false }: { name: IconName; filled?: boolean }) {
  return (
    <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" focusable="false">
      <path
        d={strokes[name]}
        fill={filled ? 'currentColor' : 'none'}
        stroke="currentColor"
        strokeWidth={name === 'more' ? 3 : 1.75}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
