// Light, dark, or as the system has it. Only a choice is stored.

import { useState } from "preact/hooks";

import { Icon } from "./icons";

const KEY = "theme";
const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

function stored(): Theme {
  try {
    return THEMES.find((one) => one === localStorage.getItem(KEY)) ?? "system";
  } catch {
    return "system"; // storage is forbidden
  }
}

function use(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** To be called before anything is drawn. */
export function useStoredTheme(): void {
  use(stored());
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState(stored);
  const next = () => {
    const chosen = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    use(chosen);
    setTheme(chosen);
    try {
      if (chosen === "system") localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, chosen);
    } catch {
      // The choice ends with the page.
    }
  };
  return (
    <div class="theme">
      <span>Theme</span>
      <button type="button" onClick={next} aria-label={`Theme: ${theme}. Change it`}><Icon name={theme} size={15} /> {theme}</button>
    </div>
  );
}
