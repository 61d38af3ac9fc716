/** The visible horizontal range of a grid, in steps to limit redraws, and its row height. */
import { type RefObject, useCallback, useLayoutEffect, useState } from "react";

const STEP = 160;

interface Side {
	readonly left: number;
	readonly width: number;
	/** Whether something is hidden to the left. */
	readonly scrolled: boolean;
}

export function useSide(frame: RefObject<HTMLElement | null>) {
	const [side, setSide] = useState<Side>({ left: 0, width: 1200, scrolled: false });
	const look = useCallback(() => {
		const element = frame.current;
		if (element === null) return;
		const { scrollLeft, clientWidth } = element;
		const next = { left: scrollLeft - (scrollLeft % STEP), width: clientWidth + STEP, scrolled: scrollLeft > 0 };
		setSide((before) =>
			before.left === next.left && before.width === next.width && before.scrolled === next.scrolled ? before : next,
		);
	}, [frame]);
	return { side, look };
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
