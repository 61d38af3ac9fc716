/** The open part of a menu; loaded later than the buttons that open it. */
import type { LucideIcon } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef } from "react";
import { joinClasses } from "./classes.ts";
import { Floating } from "./floating.tsx";
import { Keys } from "./kbd.tsx";

export interface MenuItem {
	readonly label: string;
	readonly icon?: LucideIcon;
	readonly keys?: string;
	readonly danger?: boolean;
	/** Of a choice: whether it is the one. */
	readonly checked?: boolean;
	run(): void;
}

interface MenuItemsProps extends ItemsProps {
	readonly align: "start" | "end";
}

export function MenuItems({ align, ...items }: MenuItemsProps) {
	return (
		<Floating anchor={items.button} align={align} className="min-w-44 overflow-y-auto p-1" onClose={items.onDone}>
			<Items {...items} />
		</Floating>
	);
}

interface ItemsProps {
	readonly id: string;
	readonly groups: readonly (readonly MenuItem[])[];
	readonly button: { readonly current: HTMLButtonElement | null };
	onDone(): void;
}

function Items({ id, groups, button, onDone }: ItemsProps) {
	const list = useRef<HTMLDivElement>(null);
	const entries = () => [...(list.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
	// biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens; on closing the focus goes back
	useEffect(() => {
		entries()[0]?.focus();
		const back = button.current;
		return () => {
			if (list.current?.contains(document.activeElement) || document.activeElement === document.body) back?.focus();
		};
	}, []);
	const onKeyDown = (event: KeyboardEvent) => {
		const all = entries();
		const at = all.indexOf(document.activeElement as HTMLElement);
		const to = computeNextIndex(event.key, at, all);
		if (event.key === "Tab") onDone();
		if (to === null) return;
		event.preventDefault();
		all[to]?.focus();
	};
	return (
		<div ref={list} id={id} role="menu" tabIndex={-1} className="outline-none" onKeyDown={onKeyDown}>
			{groups.map((items, index) => (
				<div
					key={items.map(({ label }) => label).join()}
					role="presentation"
					className={joinClasses(index > 0 && "mt-1 border-line border-t pt-1")}
				>
					{items.map(({ label, icon: Icon, keys, danger, checked, run }) => (
						// biome-ignore lint/a11y/useAriaPropsSupportedByRole: its role is one of the two that have it
						<button
							key={label}
							type="button"
							role={checked === undefined ? "menuitem" : "menuitemradio"}
							aria-checked={checked}
							tabIndex={-1}
							className={joinClasses(
								"flex h-7 w-full items-center gap-2 rounded-cell px-2 text-left hover:bg-sunken focus:bg-accent-soft focus:outline-none",
								danger && "text-bad",
								checked && "font-medium",
							)}
							onClick={() => {
								onDone();
								button.current?.focus();
								run();
							}}
						>
							{Icon && <Icon size={14} aria-hidden="true" />}
							<span className="flex-1 truncate">{label}</span>
							{checked && <span aria-hidden="true">✓</span>}
							{keys && <Keys combo={keys} />}
						</button>
					))}
				</div>
			))}
		</div>
	);
}

/**
 * Index of the item that a key selects, or null. A letter selects the next item that begins with
 * it.
 */
function computeNextIndex(key: string, at: number, all: readonly HTMLElement[]): number | null {
	if (key === "ArrowDown") return (at + 1) % all.length;
	if (key === "ArrowUp") return (at - 1 + all.length) % all.length;
	if (key === "Home") return 0;
	if (key === "End") return all.length - 1;
	if (!/^\S$/.test(key)) return null;
	const from = [...all.keys()].map((i) => (at + 1 + i) % all.length);
	return from.find((i) => all[i]?.textContent?.trim().toLowerCase().startsWith(key.toLowerCase())) ?? null;
}
