/** Overlays of every page, loaded later: palette, key sheet, tooltips, idle warning. */
import { useEffect } from "react";
import { reportProgramError } from "../platform/problem.ts";
import { useLater } from "../ui/later.ts";
import { loadMenus } from "../ui/menu.tsx";
import { Boundary } from "../ui/page.tsx";
import { useShell } from "./state.ts";

export function Overlays() {
	const { palette, keySheet } = useShell();
	const parts = useLater(() => import("./overlay-parts.ts"), palette || keySheet);
	useEffect(() => {
		// Menus open at once when the page has been idle.
		if (parts === null) return;
		void loadMenus().catch(reportProgramError);
		// An error is reported without the network too.
		void import("../platform/error-report.ts").catch(reportProgramError);
	}, [parts]);
	if (parts === null) return null;
	return (
		<>
			<Boundary isNoticed resetKey={String(palette)}>
				{palette && <parts.Palette />}
			</Boundary>
			<Boundary isNoticed resetKey={String(keySheet)}>
				{keySheet && <parts.KeySheet />}
			</Boundary>
			<parts.Toasts />
			<Boundary isNoticed>
				<parts.IdleWatch />
			</Boundary>
			<Boundary isNoticed>
				<parts.TooltipLayer />
			</Boundary>
		</>
	);
}
