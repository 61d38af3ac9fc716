/** Questions of the gallery in the palette, found by their words and synonyms. */
import { useNavigate } from "@tanstack/react-router";
import type { Question } from "@weft/contracts";
import { galleryRoutes } from "@weft/contracts/browser";
import { useEffect, useRef } from "react";
import { useAnswer } from "../platform/call.ts";
import { useMay } from "../platform/profile.ts";
import { Group, Item, useDebounced } from "./palette-parts.tsx";

const SHOWN = "6";
/** Words for questions as such, beside which others name the subject. */
const ITSELF = /\b(questions?|gallery)\b/gi;

interface PaletteQuestionsProps {
	/** The text without blanks around it. */
	readonly text: string;
	/** Gets the first question when it is there. */
	onFind(value: string): void;
	onLeave(): void;
}

const formatValue = ({ key, question }: Pick<Question, "key" | "question">): string => `${question} question ${key}`;

export function PaletteQuestions({ text, onFind, onLeave }: PaletteQuestionsProps) {
	const navigate = useNavigate();
	const may = useMay();
	const search = useDebounced(text).replace(ITSELF, "").trim();
	const isAllowed = may("view_savedquery");
	const enabled = isAllowed && search.length > 1;
	const { data } = useAnswer(
		galleryRoutes.list,
		{ query: { search: search || "-", page_size: SHOWN } },
		{ enabled, staleTime: Number.POSITIVE_INFINITY },
	);
	const first = enabled ? data?.results[0] : undefined;
	const firstValue = first && formatValue(first);
	const find = useRef(onFind);
	find.current = onFind;
	useEffect(() => {
		if (firstValue !== undefined) find.current(firstValue);
	}, [firstValue]);
	if (!isAllowed) return null;
	const open = (key?: string) => {
		onLeave();
		void navigate({ to: "/gallery", search: key === undefined ? {} : { key } });
	};
	return (
		<Group heading="Questions">
			<Item value="All questions of the gallery" onSelect={() => open()}>
				All questions of the gallery
			</Item>
			{enabled &&
				data?.results.map(({ key, question, categories }) => (
					<Item
						key={key}
						value={formatValue({ key, question })}
						// The service found it, also by a synonym.
						keywords={[text, search]}
						onSelect={() => open(key)}
						{...(categories[0] === undefined ? {} : { aside: categories[0] })}
					>
						{question}
					</Item>
				))}
		</Group>
	);
}
