/**
 * Key combinations as text: "mod+k", "shift+t", "g o" (a sequence), "?". `mod` is Ctrl, or Command
 * on a Mac. Pure.
 */
interface KeyPress {
	readonly key: string;
	readonly ctrlKey: boolean;
	readonly metaKey: boolean;
	readonly altKey: boolean;
	readonly shiftKey: boolean;
}

/** A press in the same spelling as in a combination; null for a modifier by itself. */
export function formatKeyPress({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): string | null {
	if (["Control", "Shift", "Alt", "Meta", "AltGraph"].includes(key)) return null;
	const name = key === " " ? "space" : key.toLowerCase();
	// What shift makes of a sign is the sign: "?" is written without it.
	const shifted = shiftKey && (name.length > 1 || /[a-z0-9]/.test(name));
	return [ctrlKey || metaKey ? "mod+" : "", altKey ? "alt+" : "", shifted ? "shift+" : "", name].join("");
}

/** Whether a field receives it as text: everything without a modifier, except Escape. */
export const isTyping = (combo: string): boolean => !/^(mod|alt)\+/.test(combo) && combo !== "escape";

/** Whether a field, or selected text, uses the combination for the clipboard. */
export const isClipboard = (combo: string): boolean => /^mod\+[cvx]$/.test(combo);

/** For the screen: "Ctrl K", "G O". */
export function showCombo(combo: string, mac: boolean): string[] {
	return combo.split(" ").flatMap((press, index) => [
		...(index > 0 ? ["then"] : []),
		...press.split(/\+(?!$)/).map((part) => {
			switch (part) {
				case "mod":
					return mac ? "⌘" : "Ctrl";
				case "alt":
					return mac ? "⌥" : "Alt";
				case "shift":
					return "Shift";
				case "enter":
					return "↵";
				case "escape":
					return "Esc";
				case "arrowup":
					return "↑";
				case "arrowdown":
					return "↓";
				case "space":
					return "Space";
				case "delete":
					return "Del";
				default:
					return part.length === 1 ? part.toUpperCase() : part[0]?.toUpperCase() + part.slice(1);
			}
		}),
	]);
}
