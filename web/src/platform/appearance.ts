/** Theme and density of this browser. `public/theme.js` sets them before the first paint. */
import { create } from "zustand";

export type Theme = "system" | "light" | "dark";
export type Density = "compact" | "comfortable";

interface Appearance {
	readonly theme: Theme;
	readonly density: Density;
}

const THEME = "weft.theme";
const DENSITY = "weft.density";
const dark = matchMedia("(prefers-color-scheme: dark)");

export const useAppearance = create<Appearance>(() => ({
	theme: pickOne(readStoredItem(THEME), ["light", "dark"] as const) ?? "system",
	density: readStoredItem(DENSITY) === "comfortable" ? "comfortable" : "compact",
}));

export const isDark = (): boolean => {
	const { theme } = useAppearance.getState();
	return theme === "dark" || (theme === "system" && dark.matches);
};

export function setTheme(theme: Theme): void {
	writeStoredItem(THEME, theme === "system" ? null : theme);
	useAppearance.setState({ theme });
}

export function setDensity(density: Density): void {
	writeStoredItem(DENSITY, density === "compact" ? null : density);
	useAppearance.setState({ density });
}

export const toggleDensity = (): void =>
	setDensity(useAppearance.getState().density === "compact" ? "comfortable" : "compact");

function applyAppearance(): void {
	const root = document.documentElement;
	root.dataset.theme = isDark() ? "dark" : "light";
	root.dataset.density = useAppearance.getState().density;
}
useAppearance.subscribe(applyAppearance);
dark.addEventListener("change", applyAppearance);

function readStoredItem(key: string): string | null {
	try {
		return localStorage.getItem(key);
	} catch {
		return null;
	}
}

function writeStoredItem(key: string, value: string | null): void {
	try {
		if (value === null) localStorage.removeItem(key);
		else localStorage.setItem(key, value);
	} catch {
		// Nothing is kept here: the choice lasts as long as the page.
	}
}

function pickOne<const T extends string>(value: string | null, allowed: readonly T[]): T | undefined {
	return allowed.find((item) => item === value);
}
