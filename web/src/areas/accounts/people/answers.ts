/** Answers that several pages about people share. */
import { groupRoutes } from "@weft/contracts/browser";
import { useAnswer } from "../../../platform/call.ts";

export const useGroups = () => useAnswer(groupRoutes.list, { query: { page_size: "200" } }, { staleTime: 60_000 });

export const useAllPermissions = (enabled = true) =>
	useAnswer(groupRoutes.permissions, { query: { page_size: "200" } }, { enabled, staleTime: 300_000 });
