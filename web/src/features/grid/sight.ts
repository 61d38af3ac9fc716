/** What of a grid is in sight: its rows in steps, so that not every pixel draws anew, and what of its columns. */
import { type RefObject, useCallback, useLayoutEffect, useState } from "react";

const OVERSCAN = 16;
const STEP = 4;

interface Sight {
	readonly first: number;
	readonly last: number;
	readonly left: number;
	readonly width: number;
}

export function useSight(frame: RefObject<HTMLElement | null>, rowHeight: number) {
	const [sight, setSight] = useState<Sight>({ first: 0, last: 40, left: 0, width: 1200 });
	const look = useCallback(() => {
		const element = frame.current;
		if (element === null) return;
		const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - OVERSCAN);
		const to = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + OVERSCAN;
		const next = {
			first: from - (from % STEP),
			last: to + STEP - (to % STEP),
			left: element.scrollLeft,
			width: element.clientWidth,
		};
		setSight((before) =>
			before.first === next.first &&
			before.last === next.last &&
			before.left === next.left &&
			before.width === next.width
				? before
				: next,
		);
	}, [frame, rowHeight]);
	useLayoutEffect(() => {
		look();
		const element = frame.current;
		if (element === null) return;
		const watch = new ResizeObserver(look);
		watch.observe(element);
		return () => watch.disconnect();
	}, [frame, look]);
	return { sight, look };
}

/** Follows the density. */
export function useRowHeight(): number {
	const [height, setHeight] = useState(28);
	useLayoutEffect(() => {
		const root = document.documentElement;
		const read = () => {
			const rem = Number.parseFloat(getComputedStyle(root).getPropertyValue("--row"));
			setHeight(Math.round(rem * Number.parseFloat(getComputedStyle(root).fontSize)));
		};
		read();
		const watch = new MutationObserver(read);
		watch.observe(root, { attributes: true, attributeFilter: ["data-density"] });
		return () => watch.disconnect();
	}, []);
	return height;
}
