/** A box in the browser's top layer beside its anchor; outside clicks and Escape close it. */
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { joinClasses } from "./classes.ts";
import { Boundary } from "./page.tsx";

const GAP = 4;
const EDGE = 8;

interface FloatingProps {
	readonly anchor: RefObject<HTMLElement | null>;
	readonly align?: "start" | "end";
	/** As wide as its anchor at least. */
	readonly fit?: boolean;
	readonly className?: string;
	readonly children: ReactNode;
	/** True: a click elsewhere closes it. False: only its opener does. */
	readonly light?: boolean;
	onClose?(): void;
}

/** Is there while it is open. */
export function Floating({
	anchor,
	align = "start",
	fit = false,
	className,
	children,
	light = true,
	onClose,
}: FloatingProps) {
	const box = useRef<HTMLDivElement>(null);
	const close = useRef(onClose);
	close.current = onClose;
	useLayoutEffect(() => {
		const element = box.current;
		if (element === null) return;
		if (!element.matches(":popover-open")) element.showPopover();
		const put = () => anchor.current && placeElement(element, anchor.current, align, fit);
		put();
		const watch = new ResizeObserver(put);
		watch.observe(element);
		window.addEventListener("resize", put);
		window.addEventListener("scroll", put, true);
		return () => {
			watch.disconnect();
			window.removeEventListener("resize", put);
			window.removeEventListener("scroll", put, true);
		};
	}, [anchor, align, fit]);
	useEffect(() => {
		const element = box.current;
		const onToggle = (event: Event) => (event as ToggleEvent).newState === "closed" && close.current?.();
		element?.addEventListener("toggle", onToggle);
		return () => element?.removeEventListener("toggle", onToggle);
	}, []);
	return (
		<div
			ref={box}
			popover={light ? "auto" : "manual"}
			className={joinClasses(
				"fixed inset-auto m-0 rounded-card border-0 bg-surface p-0 text-fg shadow-overlay outline-none motion-safe:animate-[slide-in_120ms]",
				className,
			)}
		>
			<Boundary>{children}</Boundary>
		</div>
	);
}

/** Below the anchor, above it where there is more room, and never off the screen. */
function placeElement(element: HTMLElement, anchor: HTMLElement, align: "start" | "end", fit: boolean): void {
	const from = anchor.getBoundingClientRect();
	if (fit) element.style.minWidth = `${from.width}px`;
	const { offsetWidth: width, offsetHeight: height } = element;
	const below = innerHeight - from.bottom - GAP - EDGE;
	const above = from.top - GAP - EDGE;
	const up = height > below && above > below;
	element.style.maxHeight = `${Math.max(120, up ? above : below)}px`;
	const left = align === "end" ? from.right - width : from.left;
	element.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`;
	element.style.top = up ? `${Math.max(EDGE, from.top - GAP - Math.min(height, above))}px` : `${from.bottom + GAP}px`;
}
