/** The classes that a person keeps at hand. */
import { mimPersonalRoutes } from "@weft/contracts/browser";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { useMay } from "../../platform/profile.ts";
import { queries } from "../../platform/weft.ts";
import { showProblem } from "../../ui/toast.tsx";

const KEY = [mimPersonalRoutes.favorites.id];

export function useFavorites() {
	const may = useMay();
	const { data: names = [] } = useAnswer(mimPersonalRoutes.favorites, undefined, {
		enabled: may("view_favorite"),
		staleTime: 5 * 60_000,
	});
	// The star turns at once; the list is asked for anew in any case.
	const turn = useAction(
		async ({ name, on }: { name: string; on: boolean }) => {
			queries.setQueryData<string[]>(KEY, (before = []) =>
				on ? [...before, name] : before.filter((each) => each !== name),
			);
			if (on) await callRoute(mimPersonalRoutes.addFavorite, { body: { class_name: name } });
			else await callRoute(mimPersonalRoutes.removeFavorite, { params: { id: name } });
		},
		{
			stale: ["mim_favorites"],
			onError(error) {
				void queries.invalidateQueries({ queryKey: KEY });
				showProblem(error);
			},
		},
	);
	return {
		names,
		mayChange: may("add_favorite") && may("delete_favorite"),
		isFavorite: (name: string) => names.includes(name),
		turn: (name: string) => turn.mutate({ name, on: !names.includes(name) }),
	};
}
