// A ball dropped on a Bullet heightfield comes to rest on the surface that arete draws.
#include "arete/adapters/bullet.h"

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  // A bowl of 65 x 65 samples, 1 m apart, steps of 1/256 m.
  const arete::Lattice lattice{.stops_x = 65, .stops_z = 65, .step_m = 1.0 / 256};
  std::vector<std::uint16_t> stops;
  for (int z = 0; z < 65; ++z) {
    for (int x = 0; x < 65; ++x) {
      stops.push_back(static_cast<std::uint16_t>(257 + 2 * ((x - 32) * (x - 32) + (z - 32) * (z - 32))));
    }
  }
  const arete::HeightfieldView field(lattice, stops);
  const arete::adapters::BulletHeightfield terrain = arete::adapters::bullet_heightfield(field);

  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  btTransform middle = btTransform::getIdentity();
  middle.setOrigin({btScalar(terrain.centre_m[0]), btScalar(terrain.centre_m[1]), btScalar(terrain.centre_m[2])});
  btDefaultMotionState ground_motion(middle);
  btRigidBody ground(btRigidBody::btRigidBodyConstructionInfo(0, &ground_motion, terrain.shape.get()));
  world.addRigidBody(&ground);

  btSphereShape ball_shape(btScalar(0.5));
  btVector3 inertia;
  ball_shape.calculateLocalInertia(1, inertia);
  btTransform start = btTransform::getIdentity();
  start.setOrigin({30, 12, 33});
  btDefaultMotionState ball_motion(start);
  btRigidBody ball(btRigidBody::btRigidBodyConstructionInfo(1, &ball_motion, &ball_shape, inertia));
  ball.setDamping(btScalar(0.3), btScalar(0.5));
  world.addRigidBody(&ball);
  for (int step = 0; step < 60 * 30; ++step) {
    world.stepSimulation(btScalar(1) / 60, 0);
  }

  const btVector3 place = ball.getWorldTransform().getOrigin();
  const auto ground_there = arete::height_at(field, double(place.x()), double(place.z()));
  const double gap_m = double(place.y()) - 0.5 - ground_there.y_m;
  std::printf("the ball rests at (%.2f, %.2f, %.2f), %.3f m over the ground\n", double(place.x()), double(place.y()),
              double(place.z()), gap_m);
  world.removeRigidBody(&ball);
  world.removeRigidBody(&ground);
  return std::abs(gap_m) < 0.05 ? 0 : 1;
}
