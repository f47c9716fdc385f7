import { expect } from 'chai';
import { MoonscapeError } from '../../runtime/errors.js';
import { vec3 } from '../../runtime/world/vector.js';
import { World } from '../../runtime/world/world.js';

/** A world whose one mesh is a unit cube around its origin. */
const cubeWorld = () =>
  new World({
    meshes: {
      has: (guid) => guid === 'cube',
      boundsOf: () => ({ min: vec3(-0.5, -0.5, -0.5), max: vec3(0.5, 0.5, 0.5) }),
    },
    materials: { has: (guid) => guid === 'red' },
  });

describe('world', () => {
  describe('entities', () => {
    it('are found by name and by id', () => {
      const world = new World();
      const first = world.createEntity('tree');
      const second = world.createEntity('tree');
      expect(world.find('tree')).to.equal(first);
      expect(world.get(second.id)).to.equal(second);
      expect(world.find('bush')).to.equal(null);
      expect(world.find('camera')).to.equal(world.mainCamera);
    });

    it('a handle and an id kept past the end name what they were, also when the slot is taken again', () => {
      const world = new World();
      const ids = new Set<number>();
      let old = world.createEntity('old');
      const { id } = old;
      world.destroy(old);
      expect(() => (old.position = [1, 2, 3])).to.throw(`the entity "old" (${id}) was destroyed`);
      expect(() => old.lookAt([1, 0, 0])).to.throw('"old"');
      expect(() => old.destroy()).to.throw('"old"');
      expect(() => world.addComponent(old, 'Light')).to.throw('"old"');
      expect(() => world.get(id)).to.throw(MoonscapeError, `the entity "old" (${id}) was destroyed`);
      for (let i = 0; i < 5000; i++) {
        old = world.createEntity('new');
        expect(ids.has(old.id) || old.id === id).to.equal(false);
        ids.add(old.id);
        if (i < 4999) old.destroy();
      }
      expect(world.has(id)).to.equal(false);
      expect(world.has(old.id)).to.equal(true);
      expect(() => world.get(id)).to.throw('was destroyed');
      expect(() => world.get(987654321)).to.throw('no entity has the id 987654321');
      expect(() => world.get(-1)).to.throw('no entity has the id -1');
    });

    it('go with their parent, and children know it', () => {
      const world = new World();
      const root = world.createEntity('root');
      const child = world.createEntity('child', { parent: root });
      const leaf = world.createEntity('leaf', { parent: child });
      expect(root.children).to.deep.equal([child]);
      expect(() => (root.parent = leaf)).to.throw('hangs under');
      root.destroy();
      expect([child.destroyed, leaf.destroyed]).to.deep.equal([true, true]);
      expect(world.entities()).to.deep.equal([world.mainCamera]);
    });

    it('leave nothing behind when their options are refused', () => {
      const world = new World();
      expect(() => world.createEntity('bad', { position: [1, NaN, 0] })).to.throw(
        'entity.create: position.y must be a finite number, got NaN',
      );
      expect(() => world.createEntity('bad', { postion: [0, 0, 0] } as never)).to.throw(
        'did you mean "position"?',
      );
      expect(() => world.createEntity('bad', { scale: [1, 1] })).to.throw('scale must be three numbers');
      expect(world.entities()).to.have.length(1);
    });

    it('the on-screen camera stays', () => {
      const world = new World();
      const rig = world.createEntity('rig');
      expect(() => world.mainCamera.destroy()).to.throw('always exists');
      world.mainCamera.parent = rig;
      expect(() => rig.destroy()).to.throw('the on-screen camera hangs under "rig"');
      expect(rig.destroyed).to.equal(false);
    });
  });

  describe('components', () => {
    it('take defaults, check values and name the nearest field and component', () => {
      const world = cubeWorld();
      const entity = world.createEntity('lamp');
      const light = world.addComponent(entity, 'Light', { kind: 'point', color: [1, 0.5, 0.25] });
      expect(light.toRecord()).to.deep.include({
        kind: 'point',
        intensity: 1,
        color: { x: 1, y: 0.5, z: 0.25 },
      });
      expect(() => light.set('kind', 'lamp')).to.throw(
        'Light: kind must be one of "sun", "point", "spot", got "lamp"',
      );
      expect(() => light.set('intensty', 2)).to.throw('did you mean "intensity"?');
      expect(() => light.set('intensity', -1)).to.throw(
        'intensity must be a finite number of at least 0, got -1',
      );
      expect(light.get('kind')).to.equal('point');
      expect(() => world.addComponent(entity, 'Lihgt')).to.throw('did you mean "Light"?');
      expect(() => world.addComponent(entity, 'Light')).to.throw('has a Light already');
      expect(world.listComponents(entity)).to.deep.equal(['Transform', 'Light']);
      expect(world.removeComponent(entity, 'Light')).to.equal(true);
      expect(world.removeComponent(entity, 'Light')).to.equal(false);
      expect(() => light.set('intensity', 2)).to.throw('was removed from the entity "lamp"');
    });

    it('a refused one leaves the entity as it was', () => {
      const world = cubeWorld();
      const entity = world.createEntity('box');
      expect(() => world.addComponent(entity, 'Model', { mesh: 'ball' })).to.throw(
        'mesh must be the guid of a mesh that exists, got "ball"',
      );
      expect(() => world.addComponent(entity, 'Model', {})).to.throw('mesh must be given');
      expect(world.listComponents(entity)).to.deep.equal(['Transform']);
    });

    it('Model makes a MeshInstance, keeps it in step and takes it along', () => {
      const world = cubeWorld();
      const entity = world.createEntity('box');
      const model = world.addComponent(entity, 'Model', { mesh: 'cube' });
      expect(world.getComponent(entity, 'MeshInstance')!.toRecord()).to.deep.equal({
        mesh: 'cube',
        material: null,
      });
      model.set('material', 'red');
      expect(world.getComponent(entity, 'MeshInstance')!.get('material')).to.equal('red');
      expect(() => world.removeComponent(entity, 'MeshInstance')).to.throw('goes with the Model');
      expect(() => world.addComponent(world.createEntity(), 'MeshInstance', { mesh: 'cube' })).to.throw(
        'made by Model',
      );
      expect(world.query('Model', 'MeshInstance')).to.deep.equal([entity]);
      world.removeComponent(entity, 'Model');
      expect(world.query('MeshInstance')).to.deep.equal([]);
    });

    it('Transform is the entity’s own pose and cannot be removed', () => {
      const world = new World();
      const entity = world.createEntity('thing', { position: [1, 2, 3] });
      const transform = world.getComponent(entity, 'Transform')!;
      expect(transform.get('position')).to.deep.equal({ x: 1, y: 2, z: 3 });
      transform.set('rotation', { x: 0, y: 90, z: 0 });
      expect(entity.rotation.y).to.equal(90);
      expect(() => world.removeComponent(entity, 'Transform')).to.throw('every entity has a Transform');
    });
  });
});
