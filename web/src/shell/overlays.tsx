/** Palette and key sheet: fetched when the page is quiet, so that they open at once, and not part of what is needed first. */
import { type ComponentType, useEffect, useState } from "react";
import { useShell } from "./state.ts";

interface Parts {
	readonly Palette: ComponentType;
	readonly KeySheet: ComponentType;
}

export function Overlays() {
	const { palette, keySheet } = useShell();
	const [parts, setParts] = useState<Parts | null>(null);
	const wanted = palette || keySheet;
	useEffect(() => {
		if (parts !== null) return;
		const load = async () => {
			const { Palette } = await import("./palette.tsx");
			const { KeySheet } = await import("./key-sheet.tsx");
			setParts({ Palette, KeySheet });
		};
		const begin = () => void load().catch(() => {});
		if (wanted) return begin();
		const timer = setTimeout(begin, 1_500);
		return () => clearTimeout(timer);
	}, [parts, wanted]);
	if (parts === null) return null;
	return (
		<>
			{palette && <parts.Palette />}
			{keySheet && <parts.KeySheet />}
		</>
	);
}
