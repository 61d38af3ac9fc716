/** What lies over every page, and is not part of what is needed first: palette, key sheet, tooltips, the warning of the idle. */
import { useLater } from "../ui/later.ts";
import { useShell } from "./state.ts";

export function Overlays() {
	const { palette, keySheet } = useShell();
	const parts = useLater(() => import("./overlay-parts.ts"), palette || keySheet);
	if (parts === null) return null;
	return (
		<>
			{palette && <parts.Palette />}
			{keySheet && <parts.KeySheet />}
			<parts.IdleWatch />
			<parts.TooltipLayer />
		</>
	);
}
