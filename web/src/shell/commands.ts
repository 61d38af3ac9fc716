/** Global commands, registered before the first render so that no press is lost. */
import { isDark, setTheme, toggleDensity } from "../platform/appearance.ts";
import { type Command, registerCommands } from "../platform/keys.ts";
import { goToRow } from "../platform/row-keys.ts";
import { copyText } from "../ui/copy.tsx";
import { showToast } from "../ui/toast.tsx";
import { SECTIONS } from "./pages.ts";
import { useShell } from "./state.ts";

export function registerShellCommands(go: (to: (typeof SECTIONS)[number]["pages"][number]["to"]) => void): void {
	const pages = SECTIONS.flatMap((section) => section.pages).map(
		({ to, label, keys }): Command => ({ id: `go${to}`, label, group: "Go to", keys, run: () => go(to) }),
	);
	registerCommands([
		...pages,
		{
			id: "palette",
			label: "Search or run a command",
			group: "Anywhere",
			keys: "mod+k",
			keysOnly: true,
			run: () => toggleOverlay("palette"),
		},
		{ id: "keys", label: "Keyboard shortcuts", group: "Anywhere", keys: "?", run: () => toggleOverlay("keySheet") },
		{ id: "filter", label: "Filter this page", group: "Anywhere", keys: "/", keysOnly: true, run: focusFilter },
		{
			id: "row.next",
			label: "Next row of a list",
			group: "Anywhere",
			keys: "j",
			keysOnly: true,
			run: () => void goToRow(1),
		},
		{
			id: "row.previous",
			label: "Previous row of a list",
			group: "Anywhere",
			keys: "k",
			keysOnly: true,
			run: () => void goToRow(-1),
		},
		{ id: "link", label: "Copy a link to this view", group: "Anywhere", keys: "y", run: () => void copyLink() },
		{ id: "density", label: "Switch density", group: "Appearance", keys: "shift+d", run: toggleDensity },
		{
			id: "theme",
			label: "Switch between light and dark",
			group: "Appearance",
			run: () => setTheme(isDark() ? "light" : "dark"),
		},
		{ id: "theme.system", label: "Follow the system's theme", group: "Appearance", run: () => setTheme("system") },
	]);
}

function toggleOverlay(what: "palette" | "keySheet"): void {
	useShell.setState((state) => ({ palette: false, keySheet: false, [what]: !state[what] }));
}

/** The page's own filter, wherever it is. */
function focusFilter(): void {
	document.querySelector<HTMLInputElement>("[data-page-filter]")?.focus();
}

async function copyLink(): Promise<void> {
	showToast((await copyText(location.href)) ? "Link copied" : "The browser refused to copy");
}
