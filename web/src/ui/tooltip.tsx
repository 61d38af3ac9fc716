/**
 * Tooltips of icon buttons, with their keys: elements with `data-tip` show it on hover and focus.
 * One box for the whole page; screen readers use the control's own name. Escape hides it; it stays
 * while hovered.
 */
import { useEffect, useRef, useState } from "react";
import { Keys } from "./kbd.tsx";

const DELAY_MS = 350;
const GAP = 6;

interface Shown {
	readonly target: HTMLElement;
	readonly text: string;
	readonly keys: string | undefined;
}

export function TooltipLayer() {
	const [shown, setShown] = useState<Shown | null>(null);
	const box = useRef<HTMLDivElement>(null);
	useEffect(() => {
		let timer: ReturnType<typeof setTimeout> | undefined;
		const buildTarget = (event: Event) =>
			event.target instanceof Element ? event.target.closest<HTMLElement>("[data-tip]") : null;
		const show = (target: HTMLElement) =>
			setShown({ target, text: target.dataset.tip ?? "", keys: target.dataset.tipKeys });
		const hide = () => {
			clearTimeout(timer);
			setShown(null);
		};
		const onOver = (event: PointerEvent) => {
			if (event.pointerType !== "mouse" || box.current?.contains(event.target as Node)) return;
			const target = buildTarget(event);
			clearTimeout(timer);
			if (target) timer = setTimeout(() => show(target), DELAY_MS);
			else hide();
		};
		const onFocus = (event: FocusEvent) => {
			const target = buildTarget(event);
			clearTimeout(timer);
			// Later: a menu that closes gives the focus back while no other popover may be opened.
			if (target?.matches(":focus-visible")) timer = setTimeout(() => show(target));
		};
		const onKey = (event: KeyboardEvent) => event.key === "Escape" && hide();
		document.addEventListener("pointerover", onOver);
		document.addEventListener("pointerdown", hide);
		document.addEventListener("focusin", onFocus);
		document.addEventListener("focusout", hide);
		document.addEventListener("keydown", onKey);
		return () => {
			clearTimeout(timer);
			document.removeEventListener("pointerover", onOver);
			document.removeEventListener("pointerdown", hide);
			document.removeEventListener("focusin", onFocus);
			document.removeEventListener("focusout", hide);
			document.removeEventListener("keydown", onKey);
		};
	}, []);
	useEffect(() => {
		const element = box.current;
		if (shown === null || element === null) return;
		// It is open already when the pointer went from one control straight to another one.
		if (!element.matches(":popover-open")) element.showPopover();
		const from = shown.target.getBoundingClientRect();
		const left = from.left + from.width / 2 - element.offsetWidth / 2;
		const below = from.bottom + GAP + element.offsetHeight < innerHeight;
		element.style.left = `${Math.max(GAP, Math.min(left, innerWidth - element.offsetWidth - GAP))}px`;
		element.style.top = `${below ? from.bottom + GAP : from.top - GAP - element.offsetHeight}px`;
	}, [shown]);
	if (shown === null) return null;
	return (
		<div
			ref={box}
			popover="manual"
			aria-hidden="true"
			className="fixed inset-auto m-0 max-w-80 rounded-control border-0 bg-surface px-2 py-1 text-fg text-xs shadow-overlay motion-safe:animate-[appear_120ms]"
		>
			<span className="flex items-center gap-2">
				{shown.text}
				{shown.keys && <Keys combo={shown.keys} />}
			</span>
		</div>
	);
}
