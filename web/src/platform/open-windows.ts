/** Change windows that are open, for all pages by one call, which the opening of a tab contains. */
import type { ChangeWindowListed } from "@weft/contracts";
import { changeWindowRoutes } from "@weft/contracts/browser";
import { useAnswer } from "./call.ts";
import { readOpeningPart } from "./opening.ts";
import { useMay } from "./profile.ts";

const FRESH_MS = 5_000;
const LOOK_MS = 15_000;

/** The open windows of these connections; none while they are not known. */
export function useOpenWindows(connectionIds: readonly (string | null | undefined)[]): readonly ChangeWindowListed[] {
	const { data } = useAnswer(
		changeWindowRoutes.list,
		{ query: { state: "open", page_size: "200" } },
		{
			enabled: useMay()("view_changewindow"),
			staleTime: FRESH_MS,
			every: LOOK_MS,
			through: (call) => readOpeningPart("open_windows", call),
		},
	);
	return data?.results.filter(({ connection_ids }) => connection_ids.some((id) => connectionIds.includes(id))) ?? [];
}
