/** Overlays of every page, loaded later: palette, key sheet, tooltips, idle warning. */
import { useEffect } from "react";
import { useLater } from "../ui/later.ts";
import { loadMenus } from "../ui/menu.tsx";
import { Boundary } from "../ui/page.tsx";
import { useShell } from "./state.ts";

export function Overlays() {
	const { palette, keySheet } = useShell();
	const parts = useLater(() => import("./overlay-parts.ts"), palette || keySheet);
	useEffect(() => {
		// Menus open at once when the page has been idle.
		if (parts !== null) void loadMenus().catch(() => {});
	}, [parts]);
	if (parts === null) return null;
	return (
		<>
			{palette && <parts.Palette />}
			{keySheet && <parts.KeySheet />}
			<Boundary fallback={null}>
				<parts.IdleWatch />
			</Boundary>
			<Boundary fallback={null}>
				<parts.TooltipLayer />
			</Boundary>
		</>
	);
}
