// The image, built from the Dockerfile and inspected layer by layer.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { baseOf } from '../../packaging/base-image.ts';
import { findBuilder, projectFolder } from '../support/image/builder.ts';
import { contentOf, type ImageContent, type ImageFile } from '../support/image/image-files.ts';

const base = process.env['BASE_IMAGE'] ?? (await baseOfDockerfile());
const given = process.env['FAIRLEAD_TEST_IMAGE'];
const reference = given ?? `fairlead:${manifest.version}`;
const maxBytes = 350 * 1_048_576;
const builder = await findBuilder();

/** An image for evaluation was given, which has its issuer. */
const evaluation = process.env['FAIRLEAD_TEST_IMAGE_EVALUATION'] === 'true';

async function baseOfDockerfile(): Promise<string> {
  return baseOf(await readFile(join(projectFolder, 'Dockerfile'), 'utf8'));
}

interface Component {
  readonly name: string;
  readonly version: string;
  readonly group?: string;
}

interface BillOfMaterials {
  readonly bomFormat: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

const ofPackage = /^\/app\/node_modules\/(?:.+\/node_modules\/)?(?:@[^/]+\/)?[^/]+\/package\.json$/;
const isRead = (path: string) => path === '/app/sbom.cdx.json' || ofPackage.test(path);

if (builder === undefined) {
  process.stderr.write('Skipped, as it needs Docker, or buildah as root\n');
  it.skip('requires Docker, or buildah as root', () => undefined);
} else {
  describe('the image', () => {
    let folder: string;
    let image: ImageContent;
    let baseLayers: number;

    const file = (path: string): ImageFile => {
      const found = image.files.get(path);
      if (found === undefined) throw new Error(`There is no ${path}`);
      return found;
    };
    const json = (path: string): unknown => JSON.parse(file(path).content ?? '');
    const ours = () => [...image.files.values()].filter(({ layer }) => layer >= baseLayers);
    const paths = () => [...image.files.keys()];

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'fairlead-image-'));
      if (given === undefined) await builder.build(reference, projectFolder, base);
      const [below, all] = await Promise.all([builder.layers(base), builder.layers(reference)]);
      expect(all.slice(0, below.length), 'It is built on the base').toEqual(below);
      baseLayers = below.length;
      await builder.save(reference, join(folder, 'image.tar'));
      image = await contentOf(join(folder, 'image.tar'), folder, isRead);
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    it('adds no more than 350 MiB to its base', () => {
      const bytes = image.bytes.slice(baseLayers).reduce((sum, each) => sum + each, 0);
      process.stdout.write(`Beyond its base: ${(bytes / 1_048_576).toFixed(1)} MiB\n`);
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThanOrEqual(maxBytes);
    });

    it('runs as a non-root user, with labels', () => {
      const { User, Entrypoint, Labels } = image.config;
      expect(User).toBe('65532:65532');
      expect(Entrypoint).toEqual(['node', '/app/src/main.ts']);
      expect(Labels).toMatchObject({
        'org.opencontainers.image.title': 'fairlead',
        'org.opencontainers.image.version': manifest.version,
        'org.opencontainers.image.licenses': manifest.license,
        'org.opencontainers.image.revision': expect.any(String),
        'dev.fairlead.sbom': '/app/sbom.cdx.json',
      });
    });

    it('contains only what the Dockerfile copies', () => {
      const top = paths().filter((path) => /^\/app\/[^/]+$/.test(path));
      expect(top.sort()).toEqual(
        ['LICENSE', 'crds', 'node_modules', 'package.json', 'sbom.cdx.json', 'sdk', 'src'].map(
          (name) => `/app/${name}`,
        ),
      );
    });

    it('contains nothing that its user can write or cannot read', () => {
      const app = ours().filter(({ path }) => path.startsWith('/app'));
      expect(app.length).toBeGreaterThan(1_000);
      const wrong = app.filter(
        ({ type, mode, owner }) =>
          owner !== '0:0' || (type !== 'SymbolicLink' && ((mode & 0o022) > 0 || !(mode & 0o004))),
      );
      expect(wrong).toEqual([]);
    });

    it('has no setuid files, including those of the base', () => {
      const all = [...image.files.values()];
      expect(all.filter(({ type, mode }) => type === 'File' && (mode & 0o6000) > 0)).toEqual([]);
    });

    it('contains npm for builds of providers, and no compiler or other package manager', () => {
      const programs = paths().flatMap(
        (path) => /^(?:\/usr)?(?:\/local)?\/s?bin\/([^/]+)$/.exec(path)?.[1] ?? [],
      );
      expect(programs).toEqual(expect.arrayContaining(['node', 'npm', 'npx']));
      const unwanted = [
        'corepack',
        'yarn',
        'yarnpkg',
        'pnpm',
        'gcc',
        'cc',
        'make',
        'python3',
        'git',
        'curl',
      ];
      expect(programs.filter((name) => unwanted.includes(name))).toEqual([]);
    });

    it('contains source maps and declarations only where compilers of authors read them', () => {
      const surplus = paths().filter((path) =>
        /^\/app\/node_modules\/.*\.(?:map|d\.[mc]?ts)$/.test(path),
      );
      expect(surplus.filter((path) => !/^\/app\/node_modules\/(?:zod|jose)\//.test(path))).toEqual(
        [],
      );
      for (const name of ['zod', 'jose']) {
        const { types } = json(`/app/node_modules/${name}/package.json`) as { types: string };
        expect(file(join(`/app/node_modules/${name}`, types)).size).toBeGreaterThan(0);
      }
    });

    it.skipIf(evaluation)('contains neither the evaluation issuer nor its library', () => {
      const unwanted =
        /^\/app\/(?:node_modules\/(?:oidc-provider|koa)\/|src\/app\/(?:evaluation|development)\.ts|src\/(?:dev|issuer)\/)/;
      expect(paths().filter((path) => unwanted.test(path))).toEqual([]);
    });

    it.skipIf(evaluation)('reports that token is unavailable', async () => {
      const token = builder.run(reference, ['node', '/app/src/main.ts', 'token', '--org', 'acme']);
      await expect(token).rejects.toThrow(/EVALUATION=true/);
    });

    it('has a bill of materials with every package and its version', () => {
      const bill = json('/app/sbom.cdx.json') as BillOfMaterials;
      expect(bill.bomFormat).toBe('CycloneDX');
      expect(bill.metadata.component).toMatchObject({
        name: 'fairlead',
        version: manifest.version,
      });
      const named = new Set(
        bill.components.map(({ group, name, version }) =>
          group === undefined ? `${name}@${version}` : `${group}/${name}@${version}`,
        ),
      );
      expect(named).toContain(`express@${manifest.dependencies.express}`);
      const there = paths()
        .filter((path) => ofPackage.test(path))
        .map((path) => json(path) as Partial<Component>)
        .flatMap(({ name, version }) => (version === undefined ? [] : `${name}@${version}`));
      expect(there.length).toBeGreaterThan(100);
      expect(there.filter((each) => !named.has(each))).toEqual([]);
    });

    it.each([
      [['node', '/app/src/main.ts', '--help'], /^Usage: fairlead-server VERB/],
      [['npm', '--version'], /^\d+\.\d+/],
    ])('runs %j as a non-root user, on a read-only root', async (command, says) => {
      expect(await builder.run(reference, command)).toMatch(says);
      const write = ['node', '-e', 'require("fs").writeFileSync("/app/x", "")'];
      await expect(builder.run(reference, write)).rejects.toThrow(/EROFS|EACCES/);
    });
  });
}
