import { createScanner, peekByte, scanValue } from "../../../../core/json/scan.ts";

const COMMA = 0x2c;

/**
 * Rows as they are spelt, out of JSON objects with commas between them: parsing would drop digits
 * of long numbers. @throws JsonTextError
 */
export function* listRowTexts(json: Buffer): Generator<string> {
	const scanner = createScanner(json);
	while (peekByte(scanner) !== -1) {
		const start = scanner.pos;
		scanValue(scanner, false);
		yield json.toString("utf8", start, scanner.pos);
		if (peekByte(scanner) === COMMA) scanner.pos += 1;
	}
}
