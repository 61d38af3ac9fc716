/** A menu of verbs behind a button. */
import {
	cloneElement,
	type HTMLAttributes,
	type KeyboardEvent,
	type ReactElement,
	type Ref,
	useEffect,
	useId,
	useReducer,
	useRef,
	useState,
} from "react";
import type { MenuItem } from "./menu-items.tsx";

type Groups = readonly (readonly MenuItem[])[];
type TriggerProps = HTMLAttributes<HTMLElement> & { ref?: Ref<HTMLButtonElement> };

interface MenuProps {
	/** A button. */
	readonly trigger: ReactElement<TriggerProps>;
	/** Groups, with a line between them; a function loads them when the menu opens. */
	readonly groups: Groups | (() => Promise<Groups>);
	readonly align?: "start" | "end";
	/** Such as to fetch what the menu offers. */
	onOpen?(): void;
}

let parts: typeof import("./menu-items.tsx") | null = null;

/** What all menus show when they are open; fetched when a page is idle, or with the first menu. */
export async function loadMenus(): Promise<void> {
	parts ??= await import("./menu-items.tsx");
}

export function Menu({ trigger, groups, align = "end", onOpen }: MenuProps) {
	const button = useRef<HTMLButtonElement>(null);
	const wasOpen = useRef(false);
	const [open, setOpen] = useState(false);
	const id = useId();
	const [, showParts] = useReducer((count: number) => count + 1, 0);
	const [loaded, setLoaded] = useState<Groups | null>(null);
	// biome-ignore lint/correctness/useExhaustiveDependencies: loaded each time that the menu opens
	useEffect(() => {
		if (open && parts === null) void loadMenus().then(showParts);
		if (open && typeof groups === "function") void groups().then(setLoaded);
	}, [open]);
	const shown = typeof groups === "function" ? loaded : groups;
	const show = (next: boolean) => {
		setOpen(next);
		if (next) onOpen?.();
	};
	return (
		<>
			{cloneElement(trigger, {
				ref: button,
				"aria-haspopup": "menu",
				"aria-expanded": open,
				...(open ? { "aria-controls": id } : {}),
				// Pressing the button of an open menu closes it; the following click must not reopen it.
				onPointerDown: () => {
					wasOpen.current = open;
				},
				onClick: () => {
					show(!wasOpen.current);
					wasOpen.current = false;
				},
				onKeyDown: (event: KeyboardEvent) => {
					if (event.key !== "ArrowDown") return;
					event.preventDefault();
					show(true);
				},
			})}
			{open && parts && shown && (
				<parts.MenuItems
					{...{ id, align, button }}
					groups={shown.filter((items) => items.length > 0)}
					onDone={() => setOpen(false)}
				/>
			)}
		</>
	);
}
