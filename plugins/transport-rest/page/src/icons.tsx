// The drawings of the page.

const PATHS = {
  quarry: "M3 20 8 8l5 3 3-7 5 16z",
  send: "M12 19V5m-6 6 6-6 6 6",
  stop: "M7 7h10v10H7z",
  menu: "M4 7h16M4 12h16M4 17h16",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6 6 18",
  pen: "M4 20l1-5L16 4l4 4L9 19z",
  file: "M7 3h7l4 4v14H7zM14 3v4h4",
  folder: "M3 6h6l2 2h10v11H3z",
  light: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.500 1.500m11 11L19 19M5 19l1.500-1.500m11-11L19 5",
  dark: "M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z",
  system: "M3 5h18v11H3zM8 20h8m-4-4v4",
};

export function Icon({ name, size = 18 }: { name: keyof typeof PATHS; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill={name === "stop" ? "currentColor" : "none"} stroke="currentColor"
      stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={PATHS[name]} />
      {name === "quarry" && <path d="m8 8 2 12m3-9 3 9" opacity=".45" />}
    </svg>
  );
}
