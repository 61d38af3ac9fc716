/** Moves the elements of a list by a handle: with the pointer, or with Alt and the arrow keys. */
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from "react";
import { findDropPlace } from "./drop-place.ts";

/** Height of the areas at both ends of a scrolled element in which a drag scrolls it, in pixels. */
const EDGE = 64;
/** Pixels that a drag scrolls per frame. */
const STEP = 14;

interface Drag {
	readonly from: number;
	/** Place of the dragged element if it were dropped now. */
	readonly to: number;
}

/**
 * @param list element whose children with `data-place` are dragged by handles with `data-handle`
 * @param onMove moves an element between two places before it returns
 */
export function useListDrag(list: RefObject<HTMLElement | null>, onMove: (from: number, to: number) => void) {
	const [drag, setDrag] = useState<Drag | null>(null);
	const [moved, setMoved] = useState<number | null>(null);
	const pointer = useRef(0);
	const findPlace = (from: number): number => findDropPlace(listMiddles(list.current), from, pointer.current);
	const latest = useRef(findPlace);
	latest.current = findPlace;
	const isDragging = drag !== null;

	// The list scrolls while the pointer rests at an end, so the place changes without a move.
	useEffect(() => {
		if (!isDragging) return;
		let frame = requestAnimationFrame(function follow() {
			moveScroller(list.current, pointer.current);
			setDrag((before) => {
				const to = before === null ? 0 : latest.current(before.from);
				return before === null || before.to === to ? before : { ...before, to };
			});
			frame = requestAnimationFrame(follow);
		});
		return () => cancelAnimationFrame(frame);
	}, [isDragging, list]);

	// The focus stays on the moved element.
	useEffect(() => {
		if (moved === null) return;
		const element = list.current?.querySelector(`[data-place="${moved}"]`);
		element?.querySelector<HTMLElement>("[data-handle]")?.focus();
		element?.scrollIntoView({ block: "nearest" });
		setMoved(null);
	}, [moved, list]);

	return {
		drag,
		getHandle: (place: number, count: number) => ({
			"data-handle": true,
			onPointerDown(event: PointerEvent<HTMLElement>) {
				if (event.button !== 0) return;
				event.currentTarget.setPointerCapture(event.pointerId);
				pointer.current = event.clientY;
				setDrag({ from: place, to: place });
			},
			onPointerMove(event: PointerEvent<HTMLElement>) {
				pointer.current = event.clientY;
			},
			onPointerUp(event: PointerEvent<HTMLElement>) {
				if (drag === null) return;
				pointer.current = event.clientY;
				const to = findPlace(drag.from);
				setDrag(null);
				if (to === drag.from) return;
				onMove(drag.from, to);
				setMoved(to);
			},
			onPointerCancel: () => setDrag(null),
			onKeyDown(event: KeyboardEvent<HTMLElement>) {
				if (event.key === "Escape" && drag !== null) {
					event.preventDefault();
					setDrag(null);
				}
				const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
				if (!event.altKey || by === 0) return;
				event.preventDefault();
				const to = place + by;
				if (to < 0 || to >= count) return;
				onMove(place, to);
				setMoved(to);
			},
		}),
	};
}

function listMiddles(list: HTMLElement | null): number[] {
	return [...(list?.querySelectorAll(":scope > [data-place]") ?? [])].map((element) => {
		const { top, height } = element.getBoundingClientRect();
		return top + height / 2;
	});
}

function moveScroller(list: HTMLElement | null, y: number): void {
	let scroller = list?.parentElement ?? null;
	while (scroller !== null && !isScroller(scroller)) scroller = scroller.parentElement;
	if (scroller === null) return;
	const { top, bottom } = scroller.getBoundingClientRect();
	if (y < top + EDGE) scroller.scrollBy({ top: -STEP });
	else if (y > bottom - EDGE) scroller.scrollBy({ top: STEP });
}

const isScroller = (element: HTMLElement): boolean =>
	element.scrollHeight > element.clientHeight && /auto|scroll/.test(getComputedStyle(element).overflowY);
